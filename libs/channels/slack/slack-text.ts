/**
 * What people wrote, out of Slack's own notation (https://docs.slack.dev/messaging/formatting-message-text): entities are
 * undone, links and channels are named. Mentions of people stay as they are, `<@U0EXAMPLE>`: an agent that repeats one
 * mentions that person.
 * @param bot whose mention in front only says whom the message is for, and is left out
 */
export function readSlackText(text: string, bot: string | undefined): string {
  const said = bot === undefined ? text : text.replace(new RegExp(`^\\s*<@${bot}(\\|[^>]*)?>[\\s,:]*`), '');
  return said
    .replace(/<([^<>]*)>/g, (_, inside: string) => readReference(inside))
    .replace(/&(amp|lt|gt);/g, (_, name: 'amp' | 'lt' | 'gt') => ENTITIES[name])
    .trim();
}

export function mentions(text: string, user: string): boolean {
  return text.includes(`<@${user}>`) || text.includes(`<@${user}|`);
}

const ENTITIES = { amp: '&', lt: '<', gt: '>' } as const;

function readReference(inside: string): string {
  const bar = inside.indexOf('|');
  const [target, label] = bar < 0 ? [inside, ''] : [inside.slice(0, bar), inside.slice(bar + 1)];
  if (target.startsWith('@')) return `<${target}>`;
  if (target.startsWith('#')) return label ? `#${label}` : `<${target}>`;
  if (target.startsWith('!')) return label || `@${target.slice(1)}`;
  return label && label !== target ? `${label} (${target})` : target;
}

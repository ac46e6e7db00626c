import { createHash } from 'node:crypto';
import { ButtonStyle, ComponentType, type RESTPostAPIChannelMessageJSONBody } from 'discord-api-types/v10';
import type { Button } from '#contracts';
import type { OutboundFile } from '../media/outbound-media.js';

/** Of one message; more would be no conversation any more. */
const MAX_PINGED = 5;
const MAX_LABEL = 80;
const BUTTONS_PER_ROW = 5;

export interface DiscordWords {
  content: string;
  buttons: readonly Button[];
}

/** What posting, answering and editing have in common. */
export function messageOf({ content, buttons }: DiscordWords, file: OutboundFile | undefined): RESTPostAPIChannelMessageJSONBody {
  return {
    content,
    allowed_mentions: allowedMentions(content),
    components: componentsOf(buttons),
    ...(file && { attachments: [{ id: 0, filename: file.name }] }),
  };
}

/** JSON; with a file a form that holds the JSON (https://docs.discord.com/developers/reference#uploading-files). */
export function bodyOf(
  message: RESTPostAPIChannelMessageJSONBody,
  file: OutboundFile | undefined,
): { json: object } | { form: FormData } {
  if (!file) return { json: message };
  const form = new FormData();
  form.set('payload_json', JSON.stringify(message));
  form.set('files[0]', new File([file.bytes], file.name, { type: file.mime }));
  return { form };
}

/** "Up to 25 characters": the same for each try of a chunk, and for no other one. */
export function nonceOf(idempotencyKey: string): string {
  return createHash('sha256').update(idempotencyKey).digest('base64url').slice(0, 25);
}

/** People that the text names, a few of them; never a role, and never everybody. */
function allowedMentions(content: string) {
  const named = [...content.matchAll(/<@!?(\d{1,20})>/g)].flatMap(([, id]) => id ?? []);
  return { parse: [], users: [...new Set(named)].slice(0, MAX_PINGED), replied_user: true };
}

function componentsOf(buttons: readonly Button[]): NonNullable<RESTPostAPIChannelMessageJSONBody['components']> {
  const count = Math.ceil(buttons.length / BUTTONS_PER_ROW);
  const rows = Array.from({ length: count }, (_, row) => buttons.slice(row * BUTTONS_PER_ROW, (row + 1) * BUTTONS_PER_ROW));
  return rows.map((row) => ({ type: ComponentType.ActionRow, components: row.map(buttonOf) }));
}

function buttonOf({ text, data }: Button) {
  const label = text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL - 1).toWellFormed()}…`;
  return { type: ComponentType.Button as const, style: ButtonStyle.Secondary as const, label, custom_id: data };
}

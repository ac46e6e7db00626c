import type { ShownMessage } from '../dialect-kit.js';

const ENTITIES = { amp: '&', lt: '<', gt: '>' } as const;
const FENCE = /^```\n([^]*?)\n```$/m;
/** A delimiter that formats stands beside a zero-width space, as in what Slack's own converters write. */
const DELIMITER = /\u200b([*_~])|([*_~])\u200b/g;
const CODE = /\u200b`([^`\n]+)`\u200b/;

/**
 * What Slack shows of a text in its notation, written from its documentation and not from our dialect: links by their
 * label, mentions of people as they are, delimiters and the `> ` of quotes gone.
 * @throws for what would notify more than one person, for a bare `<`, `>` or `&`, for a link to nowhere, and for a delimiter
 * that is not closed on its line
 */
export function readMrkdwn(body: string): ShownMessage {
  const unquoted = body.replaceAll(/^(?:> ?)+/gm, '');
  // Every second part is the inside of a fence.
  const parts = unquoted.split(FENCE).map((part, index) => (index % 2 === 1 ? decode(part) : readLines(part)));
  return { text: parts.join('\n'), code: parts.filter((_, index) => index % 2 === 1).join('\n') };
}

function readLines(text: string): string {
  if (/^```$/m.test(text)) throw new Error('a fence is not closed');
  return text.split('\n').map(readLine).join('\n');
}

function readLine(line: string): string {
  const open: string[] = [];
  const parts = line.split(CODE).map((part, index) => {
    if (index % 2 === 1) return decode(part);
    return decode(
      part.replaceAll(DELIMITER, (_, opening?: string, closing?: string) => {
        const delimiter = opening ?? closing ?? '';
        if (open.at(-1) === delimiter) open.pop();
        else open.push(delimiter);
        return '';
      }),
    );
  });
  if (open.length > 0) throw new Error(`${open.join(' ')} not closed in ${JSON.stringify(line)}`);
  return parts.join('');
}

function decode(text: string): string {
  return text.replaceAll(/<([^<>]*)>|&(amp|lt|gt);|[<>&]/g, (token, reference?: string, entity?: keyof typeof ENTITIES) => {
    if (entity !== undefined) return ENTITIES[entity];
    if (reference === undefined) throw new Error(`bare ${token} in ${JSON.stringify(text)}`);
    return readReference(reference);
  });
}

function readReference(reference: string): string {
  if (reference.startsWith('!')) throw new Error(`<${reference}> notifies many`);
  if (/^@[UW][A-Z0-9]+$/.test(reference)) return `<${reference}>`;
  const [url = '', ...label] = reference.split('|');
  if (!/^(?:https?|mailto|tel):/i.test(url)) throw new Error(`<${reference}> leads nowhere`);
  return decode(label.length > 0 ? label.join('|') : url);
}

import { text as readAll } from 'node:stream/consumers';
import { randomUUID } from 'node:crypto';
import type { ApiClient } from './api-client.js';
import type { AnsweredMessage } from './api.schema.js';
import { CliError, EXIT } from './cli-error.js';
import type { Streams } from './streams.js';

export interface SendOptions {
  wait: boolean;
  json: boolean;
  idempotencyKey?: string | undefined;
}

/** Sends one message; `-` reads it from stdin. Prints what the server answered. */
export async function send(
  api: ApiClient,
  words: string,
  { wait, json, idempotencyKey = randomUUID() }: SendOptions,
  { stdin, stdout }: Streams,
): Promise<void> {
  const text = words === '-' ? (await readAll(stdin)).trim() : words;
  if (text.trim() === '')
    throw new CliError(EXIT.usage, 'The message is empty. Write it as an argument, or pipe it in with: turnpike send -');
  const message = { text, idempotencyKey };
  if (!wait) {
    const accepted = await api.send(message);
    const said =
      'messageId' in accepted
        ? `Accepted as ${String(accepted.messageId)} in session ${String(accepted.session)}.`
        : String(accepted.reply);
    stdout.write(`${json ? JSON.stringify(accepted) : said}\n`);
    return;
  }
  const answer = await api.invoke(message);
  stdout.write(json ? `${JSON.stringify(answer)}\n` : answerText(answer));
}

function answerText(answer: AnsweredMessage): string {
  if ('reply' in answer) return `${String(answer.reply)}\n`;
  const { text, messages } = answer;
  const delivered = messages.flatMap(({ content }) => content ?? []);
  return (delivered.length > 0 ? delivered : [text]).map((each) => `${each}\n`).join('\n');
}

import { createHash } from 'node:crypto';
import type { Envelope } from '#contracts';

const CHARS = 10;

/** What libs/sessions keeps of a message to recognise it: the same id with another one is another message. */
export function fingerprintOf({ sender, text, media, target }: Envelope): string {
  const content = JSON.stringify([sender.id, text, media, target.conversation]);
  return createHash('sha256').update(content).digest('base64url').slice(0, CHARS);
}

import type { Envelope, UserMessage } from '#contracts';

/** What the model reads of one envelope. Names, quotes and group titles stay out until they can be marked as untrusted (IN-8). */
export function userMessage(envelope: Envelope): UserMessage {
  const media = envelope.media.map(({ type, name }) => `[${type}${name ? `: ${name}` : ''}]`);
  return { role: 'user', text: [envelope.text, ...media].filter(Boolean).join('\n') };
}

/** An edit of a message that was answered before: the next turn sees it. */
export function editMessage(envelope: Envelope): UserMessage {
  return { role: 'user', text: `[The user changed an earlier message to:]\n${envelope.text}` };
}

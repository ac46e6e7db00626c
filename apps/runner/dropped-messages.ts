import type { DropPolicy, Envelope, UserMessage } from '#contracts';
import type { Ending } from './turn-commit.js';

const LINE_CHARS = 120;
const MOST_LINES = 20;

/** The end of messages that were too many to wait (QU-2): a word to whoever wrote them, and one to the next turn. */
export function droppedEnding(envelopes: readonly Envelope[], policy: DropPolicy): Ending {
  const one = envelopes.length === 1;
  const which = policy === 'new' ? 'newest' : 'oldest';
  const kept = policy === 'summarize' ? ' I still read the beginning of each.' : '';
  const text = `More messages came than can wait for me, so I do not answer the ${one ? which : `${envelopes.length} ${which}`} of them.${kept}`;
  return {
    outcome: 'dropped',
    reason: 'overflow',
    users: [leftOf(envelopes, policy)],
    messages: [],
    say: { mode: 'notice', text },
  };
}

/** What a user wrote stays what a user wrote: quoted on one line, in a message of the user's side. */
function leftOf(envelopes: readonly Envelope[], policy: DropPolicy): UserMessage {
  const count = `${envelopes.length} ${envelopes.length === 1 ? 'message was' : 'messages were'}`;
  const told = `[${count} dropped unanswered, because too many waited.]`;
  if (policy !== 'summarize') return { role: 'user', text: told };
  const lines = envelopes.slice(-MOST_LINES).map((envelope) => `- ${JSON.stringify(beginningOf(envelope))}`);
  return { role: 'user', text: [told, ...lines].join('\n') };
}

function beginningOf({ text, media }: Envelope): string {
  if (text === '') return media.map(({ type }) => `[${type}]`).join(' ');
  return text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}…` : text;
}

import type { MessageAbilities } from '#agent';
import { actionsOf, type MessageAction, type MessageArguments } from './message-arguments.js';

const INSTEAD: Record<Exclude<MessageAction, 'send'>, string> = {
  reply: 'send a message that says what it answers',
  edit: 'send a new message that corrects the earlier one',
  delete: 'send a new message that takes the earlier one back',
  react: 'send a short message',
};
/** What Telegram takes, the narrowest; `data` comes back as a message. */
const MOST_DATA_BYTES = 64;

/** Why this conversation's channel cannot do it, and what it can instead; undefined: it can. */
export function refusalOf({ action, media, buttons }: MessageArguments, can: MessageAbilities): string | undefined {
  if (action !== 'send' && !can[action])
    return `This channel cannot ${action}. Instead, ${INSTEAD[action]}. It can: ${actionsOf(can).join(', ')}.`;
  const strange = media.find(({ type }) => !can.media.includes(type));
  if (strange) {
    const known = can.media.length > 0 ? ` It takes: ${can.media.join(', ')}.` : '';
    return `This channel takes no media of type ${strange.type}. Instead, put the address into the text.${known}`;
  }
  if (buttons.length > can.buttons) {
    const room = can.buttons > 0 ? `at most ${can.buttons} buttons in a message` : 'no buttons';
    return `This channel has ${room}. Instead, list the choices in the text.`;
  }
  const long = buttons.find(({ text, data = text }) => Buffer.byteLength(data) > MOST_DATA_BYTES);
  return (
    long && `The data of the button ${JSON.stringify(long.text)} has more than ${MOST_DATA_BYTES} bytes: give it a shorter one.`
  );
}

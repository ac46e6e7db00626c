import type { Button } from '#contracts';

/** Of one message: what a list takes. */
export const MOST_BUTTONS = 10;
const MOST_REPLY_BUTTONS = 3;
const REPLY_TITLE = 20;
const REPLY_BODY = 1024;
const ROW_TITLE = 24;
const ROW_DESCRIPTION = 72;

/**
 * Choices under a text: up to three short ones are buttons, more or longer ones a list behind one button.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/messages/interactive-reply-buttons-messages (and -list-messages)
 */
export function interactive(body: string, buttons: readonly Button[]): Record<string, unknown> {
  const titles = new Set(buttons.map(({ text }) => text));
  const asButtons =
    buttons.length <= MOST_REPLY_BUTTONS &&
    titles.size === buttons.length &&
    body.length <= REPLY_BODY &&
    buttons.every(({ text }) => text.length <= REPLY_TITLE);
  const action = asButtons
    ? { buttons: buttons.map(({ text: title, data: id }) => ({ type: 'reply', reply: { id, title } })) }
    : { button: 'Choose', sections: [{ title: 'Choices', rows: buttons.slice(0, MOST_BUTTONS).map(rowOf) }] };
  return { type: 'interactive', interactive: { type: asButtons ? 'button' : 'list', body: { text: body }, action } };
}

/** A long title is cut, and stands once more and longer below. */
function rowOf({ text, data: id }: Button): Record<string, string> {
  const title = cut(text, ROW_TITLE);
  return { id, title, ...(title !== text && { description: cut(text, ROW_DESCRIPTION) }) };
}

const graphemes = new Intl.Segmenter();

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (kept.length + segment.length > limit - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

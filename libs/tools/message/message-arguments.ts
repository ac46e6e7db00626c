import { z } from 'zod';
import type { MessageAbilities } from '#agent';
import { outboundMediaSchema } from '#contracts';

const ACTIONS = ['send', 'reply', 'edit', 'delete', 'react'] as const;
export type MessageAction = (typeof ACTIONS)[number];

const MOST_MEDIA = 10;

const buttonArgument = z.object({
  text: z.string().min(1).max(64).describe('What the button says.'),
  data: z.string().min(1).optional().describe('What pressing it writes to you as a message. Default: its text.'),
});

const actionArgument = z.enum(ACTIONS).default('send');
const contentArgument = z.string().min(1).describe('The text, in Markdown.');
const idArgument = z
  .string()
  .min(1)
  .describe(
    'Id of the message meant, from an earlier result or from [message ...]. Default: for edit and delete your newest message, else the newest one of the user.',
  );
const emojiArgument = z.string().max(64).describe('One emoji. Empty: take your reaction back.');
const immediateArgument = (byDefault: boolean) =>
  z
    .boolean()
    .default(byDefault)
    .describe(`true: deliver now. false: deliver when the turn ends. Default: ${String(byDefault)}.`);

/** All that a call may say, whatever the channel: what a channel cannot is refused with words, not stripped. */
export function messageArguments(immediateByDefault: boolean) {
  return z
    .object({
      action: actionArgument,
      content: z.string().default(''),
      messageId: idArgument.optional(),
      emoji: emojiArgument.default(''),
      media: z.array(outboundMediaSchema).max(MOST_MEDIA).default([]),
      buttons: z.array(buttonArgument).default([]),
      immediate: immediateArgument(immediateByDefault),
    })
    .refine(({ action, content, media }) => !needsText(action) || content !== '' || media.length > 0, {
      path: ['content'],
      message: 'must not be empty',
    });
}
export type MessageArguments = z.output<ReturnType<typeof messageArguments>>;

/** What the model of a conversation is shown: no more than its channel can. */
export function shownArguments(abilities: MessageAbilities, immediateByDefault: boolean): z.ZodObject {
  const [only, ...more] = actionsOf(abilities);
  const { buttons, media } = abilities;
  const textAlone = media.length === 0 && ![only, ...more].some((action) => !needsText(action));
  return z.object({
    ...(more.length > 0 && { action: z.enum([only, ...more]).default('send') }),
    content: textAlone ? contentArgument : contentArgument.optional(),
    ...(more.length > 0 && { messageId: idArgument.optional() }),
    ...(abilities.react && { emoji: emojiArgument.optional() }),
    ...(media.length > 0 && { media: mediaArgument(media).optional() }),
    ...(buttons > 0 && { buttons: z.array(buttonArgument).max(buttons).optional().describe('Answers to choose from.') }),
    immediate: immediateArgument(immediateByDefault),
  });
}

export function actionsOf(abilities: MessageAbilities): [MessageAction, ...MessageAction[]] {
  return ['send', ...ACTIONS.filter((action) => action !== 'send' && abilities[action])];
}

function needsText(action: MessageAction): boolean {
  return action !== 'delete' && action !== 'react';
}

function mediaArgument(types: MessageAbilities['media']) {
  const { url, name, caption } = outboundMediaSchema.shape;
  const item = z.object({ type: z.enum(types), url: url.describe('A public https address.'), name, caption });
  return z.array(item).max(MOST_MEDIA).describe('Sent beside the text, or alone.');
}

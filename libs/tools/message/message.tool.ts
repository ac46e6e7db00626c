import { z } from 'zod';
import { PLAIN_TEXT, type MessageAbilities, type SendRequest, type Tool, type ToolContext, type ToolResult } from '#agent';
import { defineTool } from '../define-tool.js';
import { actionsOf, messageArguments, shownArguments, type MessageArguments } from './message-arguments.js';
import { refusalOf } from './message-refusal.js';
import { batched, failed, immediate } from './message-result.js';

export interface MessageToolConfig {
  /** What a call without `immediate` does. */
  defaultDeliveryMode: 'immediate' | 'batched';
  /** Whether a text that provably was not sent joins the batch; if not, the model gets the error and nothing is queued. */
  fallbackToBatchOnError: boolean;
}

const NO_SEND =
  'This channel cannot send before the turn ends. Call again with immediate: false, or put the text into your final answer.';

/**
 * Lets the agent write to the user while its turn goes on, and do with messages what the channel of the conversation can
 * (TO-1; seed 003, traps T1, T2, T5, T16). docs/message-tool.md
 */
export function messageTool(config: MessageToolConfig): Tool {
  const shapes = new Map<string, Tool>();
  const inConversation = ({ reply, edit, delete: remove, react, buttons, media }: MessageAbilities): Tool => {
    const abilities = { reply, edit, delete: remove, react, buttons, media };
    const key = JSON.stringify(abilities);
    const shape = shapes.get(key) ?? { ...whole, ...shownTo(abilities, config), inConversation };
    shapes.set(key, shape);
    return shape;
  };
  const whole = defineTool({
    name: 'message',
    description: '',
    schema: messageArguments(config.defaultDeliveryMode === 'immediate'),
    effect: 'idempotent',
    execute: async (args, context) => obey(args, context, config),
  });
  return inConversation(PLAIN_TEXT);
}

function shownTo(
  abilities: MessageAbilities,
  { defaultDeliveryMode }: MessageToolConfig,
): Pick<Tool, 'description' | 'parameters'> {
  const immediateByDefault = defaultDeliveryMode === 'immediate';
  const { $schema: _, ...parameters } = z.toJSONSchema(shownArguments(abilities, immediateByDefault), { io: 'input' });
  const [, ...more] = actionsOf(abilities);
  const description = [
    'Sends a message to the user of this conversation. A send does not end your turn: go on with your work, and still give your final answer as usual.',
    immediateByDefault
      ? 'The message is delivered at once unless you pass immediate: false.'
      : 'The message waits for the end of the turn unless you pass immediate: true.',
    'Batched messages leave when the turn ends, after all immediate ones and in the order you made them.',
    ...(more.length > 0 ? [`Beside send, an action may be: ${more.join(', ')}; it is about the message with messageId.`] : []),
    'A result with state "queued" or "unknown" needs nothing more from you: never send the same text again.',
  ].join(' ');
  return { description, parameters };
}

async function obey(args: MessageArguments, context: ToolContext, config: MessageToolConfig): Promise<ToolResult> {
  const { callId, sends } = context;
  const refusal = refusalOf(args, sends.abilities);
  if (refusal !== undefined) return failed(refusal);
  const made = await requestOf(args, context);
  if ('missing' in made) return failed(made.missing);
  if (!args.immediate) return batched(await sends.atEnd({ ...made, key: callId, mode: 'batched', fellBack: false }), made);
  return sendNow(made, context, config);
}

type Content = Pick<SendRequest, 'text' | 'action' | 'replyTo' | 'media' | 'buttons'>;

/** `missing`: the message that is meant is none of this conversation. */
async function requestOf(args: MessageArguments, { sends }: ToolContext): Promise<Content | { missing: string }> {
  const { action, messageId } = args;
  if (action === 'send') return contentOf(args);
  const whose = action === 'edit' || action === 'delete' ? 'own' : 'seen';
  const message = await sends.findMessage(whose, messageId);
  if (message === undefined) return { missing: notFound(whose, messageId) };
  switch (action) {
    case 'reply':
      return { ...contentOf(args), replyTo: message };
    case 'edit':
      return { ...contentOf(args), action: { do: 'edit', message } };
    case 'delete':
      return { text: '', action: { do: 'delete', message } };
    case 'react':
      return { text: '', action: { do: 'react', message, emoji: args.emoji || null } };
  }
}

function contentOf({ content, media, buttons }: MessageArguments): Content {
  return {
    text: content,
    ...(media.length > 0 && { media }),
    ...(buttons.length > 0 && { buttons: buttons.map(({ text, data = text }) => ({ text, data })) }),
  };
}

function notFound(whose: 'own' | 'seen', id: string | undefined): string {
  const which = whose === 'own' ? 'that you sent' : 'that you sent or were shown';
  if (id === undefined) return `There is no message ${which} in this conversation yet.`;
  return `${JSON.stringify(id.slice(0, 100))} is no message ${which} in this conversation: take the id from a result of this tool or from [message ...].`;
}

async function sendNow(content: Content, { callId, sends }: ToolContext, config: MessageToolConfig): Promise<ToolResult> {
  if (!sends.canSendNow) return config.fallbackToBatchOnError ? fallBack(callId, content, sends) : failed(NO_SEND);
  const send = await sends.now({ ...content, key: callId, mode: 'immediate', fellBack: false });
  if (send.state !== 'delivered' || send.receipt.state !== 'dead') return immediate(send, content);
  const { reason = 'the channel refused it', platformIds } = send.receipt;
  if (content.action) return failed(`Not done: ${reason}.`, send.sequenceInTurn);
  if (platformIds.length > 0) return failed(`Only its beginning arrived, and nothing is queued: ${reason}.`, send.sequenceInTurn);
  if (config.fallbackToBatchOnError) return fallBack(`${callId}:batch`, content, sends);
  return failed(`Not sent, and nothing is queued: ${reason}.`, send.sequenceInTurn);
}

/** Only for a text that is proven unsent: the copy in the batch is the only one (trap T1). */
async function fallBack(key: string, content: Content, sends: ToolContext['sends']): Promise<ToolResult> {
  return batched(await sends.atEnd({ ...content, key, mode: 'batched', fellBack: true }), content, true);
}

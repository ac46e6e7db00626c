import { z } from 'zod';
import type { Tool, ToolContext, ToolResult } from '#agent';
import { defineTool } from '../define-tool.js';
import { batched, failed, immediate } from './message-result.js';

export interface MessageToolConfig {
  /** What a call without `immediate` does. */
  defaultDeliveryMode: 'immediate' | 'batched';
  /** Whether a text that provably was not sent joins the batch; if not, the model gets the error and nothing is queued. */
  fallbackToBatchOnError: boolean;
}

const NO_SEND =
  'This channel cannot send before the turn ends. Call again with immediate: false, or put the text into your final answer.';

/** Lets the agent write to the user while its turn goes on (TO-1; seed 003, traps T1, T2, T5, T16). docs/message-tool.md */
export function messageTool(config: MessageToolConfig): Tool {
  const immediateByDefault = config.defaultDeliveryMode === 'immediate';
  return defineTool({
    name: 'message',
    description: [
      'Sends a message to the user of this conversation. A send does not end your turn: go on with your work, and still give your final answer as usual.',
      immediateByDefault
        ? 'The message is delivered at once unless you pass immediate: false.'
        : 'The message waits for the end of the turn unless you pass immediate: true.',
      'Batched messages leave when the turn ends, after all immediate ones and in the order you made them.',
      'A result with state "queued" or "unknown" needs nothing more from you: never send the same text again.',
    ].join(' '),
    schema: z.object({
      content: z.string().min(1).describe('The text to send, in Markdown.'),
      immediate: z
        .boolean()
        .default(immediateByDefault)
        .describe(`true: deliver now. false: deliver when the turn ends. Default: ${String(immediateByDefault)}.`),
    }),
    effect: 'idempotent',
    async execute({ content, immediate: now }, context) {
      return now ? sendNow(content, context, config) : sendAtEnd(content, context);
    },
  });
}

async function sendAtEnd(text: string, { callId, sends }: ToolContext): Promise<ToolResult> {
  return batched(await sends.atEnd({ key: callId, text, mode: 'batched', fellBack: false }), false);
}

async function sendNow(text: string, { callId, sends }: ToolContext, config: MessageToolConfig): Promise<ToolResult> {
  if (!sends.canSendNow) return config.fallbackToBatchOnError ? fallBack(callId, text, sends) : failed(NO_SEND);
  const send = await sends.now({ key: callId, text, mode: 'immediate', fellBack: false });
  if (send.state !== 'delivered' || send.receipt.state !== 'dead') return immediate(send);
  const { reason = 'the channel refused it', platformIds } = send.receipt;
  if (platformIds.length > 0) return failed(`Only its beginning arrived, and nothing is queued: ${reason}.`, send.sequenceInTurn);
  if (config.fallbackToBatchOnError) return fallBack(`${callId}:batch`, text, sends);
  return failed(`Not sent, and nothing is queued: ${reason}.`, send.sequenceInTurn);
}

/** Only for a text that is proven unsent: the copy in the batch is the only one (trap T1). */
async function fallBack(key: string, text: string, sends: ToolContext['sends']): Promise<ToolResult> {
  return batched(await sends.atEnd({ key, text, mode: 'batched', fellBack: true }), true);
}

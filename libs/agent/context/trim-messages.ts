import type { ChatMessage, ToolMessage } from '#contracts';
import { cutText, MARKER_TOKENS } from './cut-text.js';
import { isLonger, textTokens } from './token-estimate.js';

/** A result above the first is trimmed to the second, its two ends kept (4,000 and 3,000 characters of English). */
const SOFT_TRIM_ABOVE = 1000;
const SOFT_TRIM_TO = 750;
/** Less than this of a result says nothing. */
const LEAST = 2 * MARKER_TOKENS;

/** No text of a message is longer than `maxTokens`. Arguments stay JSON: providers parse those of earlier calls. */
export function capMessage(message: ChatMessage, maxTokens: number): ChatMessage {
  const text = cutText(message.text, Math.max(maxTokens, MARKER_TOKENS));
  const long = message.role === 'assistant' && message.toolCalls.some((call) => isLonger(call.arguments, maxTokens));
  if (text === message.text && !long) return message;
  if (message.role !== 'assistant') return { ...message, text };
  const toolCalls = message.toolCalls.map((call) =>
    isLonger(call.arguments, maxTokens) ? { ...call, arguments: omitted(call.arguments) } : call,
  );
  return { ...message, text, toolCalls };
}

/** Of a result that is no longer new, the two ends. */
export function softTrim(message: ChatMessage, maxTokens: number): ChatMessage {
  if (message.role !== 'tool' || !isLonger(message.text, SOFT_TRIM_ABOVE)) return capMessage(message, maxTokens);
  return { ...message, text: cutText(message.text, Math.min(SOFT_TRIM_TO, maxTokens), true) };
}

/** Of a result that is long past, that there was one. */
export function clearResult(message: ChatMessage, maxTokens: number): ChatMessage {
  return message.role === 'tool' ? cleared(message) : capMessage(message, maxTokens);
}

/**
 * The answers and results of the running turn, all results together within `total`. Those the model has not read yet
 * share it evenly; of the older ones the newest come first.
 */
export function fitResults(progress: readonly ChatMessage[], perText: number, total: number): ChatMessage[] {
  const unread = progress.length - 1 - progress.findLastIndex(({ role }) => role === 'assistant');
  const share = Math.min(perText, total / Math.max(1, unread));
  let left = total;
  return progress
    .toReversed()
    .map((message, age) => {
      if (message.role !== 'tool') return capMessage(message, perText);
      const most = age < unread ? share : Math.min(perText, left);
      const fitted = most < LEAST ? cleared(message) : capMessage(message, most);
      left -= textTokens(fitted.text);
      return fitted;
    })
    .toReversed();
}

function cleared(message: ToolMessage): ToolMessage {
  const text = `[Cleared: this result had ${message.text.length} characters.]`;
  return isLonger(message.text, textTokens(text)) ? { ...message, text } : message;
}

function omitted(args: string): string {
  return JSON.stringify({ omitted: `arguments of ${args.length} characters` });
}

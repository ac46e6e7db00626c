import type { Conversation } from './conversation.js';

export interface ScriptCall {
  name: string;
  args: Record<string, unknown>;
}

/** One answer: words, tool calls, or both. The last one has no calls. */
export interface ScriptStep {
  text?: string;
  calls?: readonly ScriptCall[];
}

/** One thing the demo agent can do. */
export interface Script {
  /** Whether the user asked for this; a match is handed to `steps`. */
  pattern: RegExp;
  steps(conversation: Conversation, match: RegExpExecArray): readonly ScriptStep[];
}

export const say = (text: string): ScriptStep => ({ text });
export const use = (name: string, args: Record<string, unknown>): ScriptStep => ({ calls: [{ name, args }] });
export const send = (content: string): ScriptStep => use('message', { content });
export const sendAtEnd = (content: string): ScriptStep => use('message', { content, immediate: false });

/** The last result of a tool in this turn, for an answer that quotes it. */
export function resultOf({ results }: Conversation, tool: string): string {
  return results.findLast((result) => result.name === tool)?.text ?? '-';
}

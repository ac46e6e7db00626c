import type { AssistantMessage, ChatMessage } from '#contracts';

/**
 * With neighbours of one role made one message: local servers that fill in a template of the model's refuse a conversation in which
 * user and model do not take turns. To all others it says the same.
 */
export function inTurns(messages: readonly ChatMessage[]): ChatMessage[] {
  const merged: ChatMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const whole = last && both(last, message);
    if (whole) merged[merged.length - 1] = whole;
    else merged.push(message);
  }
  return merged;
}

/** undefined where they stay two: what a tool answers, and an answer that calls one, stand alone. */
function both(first: ChatMessage, second: ChatMessage): ChatMessage | undefined {
  if (first.role === 'user' && second.role === 'user') {
    const images = [...(first.images ?? []), ...(second.images ?? [])];
    return { role: 'user', text: together(first.text, second.text), ...(images.length > 0 && { images }) };
  }
  if (first.role !== 'assistant' || second.role !== 'assistant' || first.toolCalls.length > 0) return undefined;
  return { ...second, text: together(textOf(first), second.text) };
}

function textOf({ text, interrupted }: AssistantMessage): string {
  return interrupted ? `${text}\n[interrupted]` : text;
}

function together(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

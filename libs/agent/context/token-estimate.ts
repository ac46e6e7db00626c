import type { ChatMessage } from '#contracts';
import type { ModelRequest, ToolSpec } from '../model-port.js';

/**
 * The rule (CX-2): 4 ASCII characters are a token; a Han, Kana, Hangul or full-width character is 1.25 tokens; any other
 * character (accents, Cyrillic, Arabic ...) is half a token; half of a surrogate pair (emoji, rare Han) is one.
 * A message and a call cost 4 tokens of framing, an image 1600. What providers count corrects this while a turn runs (TurnContext).
 */
const LEAST = 0.25;
const CJK = 1.25;
const SURROGATE = 1;
const OTHER = 0.5;
const FRAMING = 4;
/** What the providers make of one that is about as large as they take. */
const IMAGE = 1600;
/** More of one message are not shown. */
const MOST_IMAGES = 8;
const UNITS = 0x1_00_00;

/** First and last code unit of each block that is written without spaces, mostly one token or more a character. */
const CJK_BLOCKS: readonly (readonly [number, number])[] = [
  [0x1100, 0x11ff],
  [0x2e80, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7ff],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe4f],
  [0xff00, 0xffef],
];

/** A table, because whole conversations are counted while other turns wait. */
const TOKENS = Float32Array.from({ length: UNITS }, (_, unit) => {
  if (unit < 0x80) return LEAST;
  if (unit >= 0xd800 && unit <= 0xdfff) return SURROGATE;
  return CJK_BLOCKS.some(([first, last]) => unit >= first && unit <= last) ? CJK : OTHER;
});

/** Tokens of one UTF-16 unit: a multiple of 0.25, so sums are exact. */
export function unitTokens(unit: number): number {
  return TOKENS[unit] ?? OTHER;
}

/** Costs nothing where the length alone tells. */
export function isLonger(text: string, tokens: number): boolean {
  if (text.length * LEAST > tokens) return true;
  return text.length * CJK > tokens && textTokens(text) > tokens;
}

/** Additive: the parts of a text cost what the text costs. */
export function textTokens(text: string): number {
  let tokens = 0;
  for (let index = 0; index < text.length; index += 1) tokens += unitTokens(text.charCodeAt(index));
  return tokens;
}

/** Messages are never changed once they are made. */
const known = new WeakMap<ChatMessage, number>();

function messageTokens(message: ChatMessage): number {
  const before = known.get(message);
  if (before !== undefined) return before;
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  const ofCalls = calls.map((call) => FRAMING + textTokens(call.name) + textTokens(call.arguments));
  const images = message.role === 'user' ? (message.images ?? []) : [];
  const tokens =
    FRAMING +
    textTokens(message.text) +
    Math.min(images.length, MOST_IMAGES) * IMAGE +
    ofCalls.reduce((sum, call) => sum + call, 0);
  known.set(message, tokens);
  return tokens;
}

export function messagesTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

/** What every request of a turn costs before its first message. */
export function frameTokens({ system, tools }: { system: string; tools: readonly ToolSpec[] }): number {
  return FRAMING + systemTokens(system) + tools.reduce((sum, tool) => sum + toolTokens(tool), 0);
}

/** What a provider will roughly count as the input of a request. */
export function requestTokens(request: ModelRequest): number {
  return frameTokens(request) + messagesTokens(request.messages);
}

/** Turn after turn has the same tools: each is written out and counted once, and told by its schema. */
const knownTools = new WeakMap<ToolSpec['parameters'], { name: string; description: string; tokens: number }>();

function toolTokens({ name, description, parameters }: ToolSpec): number {
  const before = knownTools.get(parameters);
  if (before?.name === name && before.description === description) return before.tokens;
  const tokens = FRAMING + textTokens(name) + textTokens(description) + textTokens(JSON.stringify(parameters));
  knownTools.set(parameters, { name, description, tokens });
  return tokens;
}

/** And mostly the system prompt of the turn before. */
let lastSystem = { text: '', tokens: 0 };

function systemTokens(text: string): number {
  if (lastSystem.text !== text) lastSystem = { text, tokens: textTokens(text) };
  return lastSystem.tokens;
}

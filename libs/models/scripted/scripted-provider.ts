import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import { delay } from '#kernel';
import { readConversation, type Conversation } from './conversation.js';
import { jobScripts } from './job-scripts.js';
import { say, type ScriptStep } from './script.js';
import { echo, talkScripts } from './talk-scripts.js';

/** About the pace of a fast reader. */
const PACE_MS = 20;
/** A word with its blanks, or two characters of a script without blanks. */
const PIECE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}，。：；！？“”（）、]{1,2}|[^\s\p{Script=Han}，。：；！？“”（）、]+\s*|\s+|./gsu;
const CHARS_PER_TOKEN = 4;

/**
 * The offline provider (MO-1): a rule-based demo agent in English and Chinese, chosen when no key is set. The same
 * request always gets the same answer, and nothing is remembered outside the request.
 */
export class ScriptedProvider implements ModelProvider {
  readonly id = 'scripted';
  readonly #paceMs: number;

  /** @param options.paceMs pause between two words; 0 for none */
  constructor({ paceMs = PACE_MS }: { paceMs?: number } = {}) {
    this.#paceMs = paceMs;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const talk = readConversation(request);
    const { text = '', calls = [] } = nextStep(talk);
    for (const [piece] of text.matchAll(PIECE)) {
      if (this.#paceMs > 0) await delay(this.#paceMs, signal);
      yield { type: 'text', text: piece };
    }
    for (const [index, { name, args }] of calls.entries()) {
      yield { type: 'tool_call', id: `call_${talk.heard}_${talk.step}_${index}`, name, arguments: JSON.stringify(args) };
    }
    yield { type: 'usage', usage: usageOf(request, text) };
    yield { type: 'stop', reason: calls.length > 0 ? 'tool_calls' : 'stop' };
  }
}

function nextStep(talk: Conversation): ScriptStep {
  for (const script of [...jobScripts, ...talkScripts]) {
    const match = script.pattern.exec(talk.text);
    if (!match) continue;
    const steps = script.steps(talk, match);
    const step = steps[talk.step] ?? steps.at(-1) ?? echo(talk);
    const missing = step.calls?.find((call) => !talk.tools.has(call.name));
    return missing ? unable(talk, missing.name) : step;
  }
  return echo(talk);
}

/** The catalog may lack a tool, or the turn may have reached its step limit. */
function unable({ chinese }: Conversation, tool: string): ScriptStep {
  return say(
    chinese
      ? `这里没有可用的工具“${tool}”，所以我先停在这一步。`
      : `The tool "${tool}" is not available to me here, so I stop at this step.`,
  );
}

function usageOf({ system, messages }: ModelRequest, text: string) {
  const chars = system.length + messages.reduce((sum, message) => sum + message.text.length, 0);
  return { inputTokens: Math.ceil(chars / CHARS_PER_TOKEN), outputTokens: Math.ceil(text.length / CHARS_PER_TOKEN) };
}

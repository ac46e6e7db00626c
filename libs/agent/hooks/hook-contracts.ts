import type { OutboxAction, Tier, ToolCall, TurnOutcome, Usage } from '#contracts';
import type { ModelRequest } from '../model-port.js';

interface OfSession {
  tenant: string;
  session: string;
}

interface OfTurn extends OfSession {
  turn: string;
}

/** How a gate says no. The model or the user reads the reason. */
export interface Refusal {
  block?: string;
}

/** A person is to allow the call, once every other hook has (TU-7). */
export interface Approval {
  /** What the person reads: what would be done, and to what. */
  title: string;
}

/** What each hook is told, and what it may answer (TU-3). docs/hooks.md says what happens with the answer. */
export interface HookContracts {
  message_received: {
    payload: OfSession & { agent: string; message: string; channel: string; sender: string; text: string; at: number };
    answer: undefined;
  };
  /** An answer, a narration or a send of the message tool, before it is stored. Turnpike's own notices are not asked about. */
  message_sending: {
    payload: OfTurn & {
      mode: 'immediate' | 'batched' | 'narration' | 'final';
      text: string;
      /** Absent: a new message. A deletion and a reaction have no text. */
      action?: OutboxAction['do'];
    };
    answer: Refusal & { text?: string };
  };
  message_sent: {
    payload: OfTurn & {
      channel: string;
      mode: string;
      sequenceInTurn: number;
      text: string;
      state: 'sent' | 'dead' | 'unknown';
      platformIds: readonly string[];
      possibleDuplicate: boolean;
    };
    answer: undefined;
  };
  session_start: { payload: OfSession & { agent: string }; answer: undefined };
  session_end: { payload: OfSession & { agent: string; reason: string }; answer: undefined };
  before_model_resolve: {
    payload: OfTurn & { provider: string; model: string; tier: Tier; prompt: readonly string[] };
    /** The tier `utility` without a model is the agent's utility model. */
    answer: { provider?: string; model?: string; tier?: Tier };
  };
  before_agent_start: { payload: OfTurn & { prompt: readonly string[]; system: string }; answer: Refusal };
  before_prompt_build: {
    payload: OfTurn & { prompt: readonly string[]; system: string; tools: readonly string[] };
    /** `before` and `after` go around the system prompt; of `tools` only names that are still offered count. */
    answer: { before?: string; after?: string; tools?: readonly string[] };
  };
  llm_input: { payload: OfTurn & { provider: string; request: ModelRequest }; answer: { request?: ModelRequest } };
  llm_output: {
    payload: OfTurn & { provider: string; model: string; text: string; toolCalls: readonly ToolCall[]; usage?: Usage };
    answer: undefined;
  };
  before_tool_call: {
    payload: OfTurn & { tool: string; callId: string; arguments: Record<string, unknown> };
    answer: Refusal & { arguments?: Record<string, unknown>; approval?: Approval };
  };
  after_tool_call: {
    payload: OfTurn & {
      tool: string;
      callId: string;
      arguments: Record<string, unknown>;
      text: string;
      isError: boolean;
      durationMs: number;
    };
    answer: undefined;
  };
  before_compaction: { payload: OfTurn & { messages: number; tokens: number }; answer: undefined };
  after_compaction: { payload: OfTurn & { messages: number; tokens: number; summary: string }; answer: undefined };
  turn_end: {
    payload: OfTurn & { outcome: TurnOutcome; reason?: string; durationMs: number; steps: number; usage: Usage };
    answer: undefined;
  };
}

export type HookName = keyof HookContracts;
export type HookPayload<N extends HookName> = HookContracts[N]['payload'];
export type HookAnswer<N extends HookName> = HookContracts[N]['answer'];

/**
 * observe: told, not waited for. modify: asked one after the other, each sees what those before it changed; one that
 * fails changes nothing. gate: modify that may also refuse; one that fails refuses.
 */
export type HookKind = 'observe' | 'modify' | 'gate';

const observe = { kind: 'observe', timeoutMs: 30_000 } as const;
const modify = { kind: 'modify', timeoutMs: 15_000 } as const;
const gate = { kind: 'gate', timeoutMs: 15_000 } as const;

/** Each hook's kind and the time a handler without a limit of its own gets, ms. */
export const HOOKS = {
  message_received: observe,
  message_sending: gate,
  message_sent: observe,
  session_start: observe,
  session_end: observe,
  before_model_resolve: modify,
  before_agent_start: gate,
  before_prompt_build: modify,
  llm_input: modify,
  llm_output: observe,
  before_tool_call: gate,
  after_tool_call: observe,
  before_compaction: observe,
  after_compaction: observe,
  turn_end: observe,
} as const satisfies Record<HookName, { kind: HookKind; timeoutMs: number }>;

type OfKind<K extends HookKind> = { [N in HookName]: (typeof HOOKS)[N]['kind'] extends K ? N : never }[HookName];
export type ObserveHook = OfKind<'observe'>;
export type ModifyHook = OfKind<'modify'>;
export type GateHook = OfKind<'gate'>;

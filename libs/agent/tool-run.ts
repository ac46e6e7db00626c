import type { Spent, ToolCall, TraceContext } from '#contracts';
import { LeaseLostError } from '#kernel';
import { GuardedSends } from './guarded-sends.js';
import { HookedSends } from './hooks/hooked-sends.js';
import { observation } from './observation.js';
import { idsOf, type RunningTurn } from './running-turn.js';
import type { Tool, ToolContext, ToolResult } from './tool-port.js';
import { TurnState } from './turn-state.js';
import { withGrace } from './abandonment.js';

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_GRACE_MS = 1000;

/** What a call is run with. */
export interface ToolRun {
  call: ToolCall;
  tool: Tool;
  args: Record<string, unknown>;
  answered?: ToolContext['answered'];
}

/**
 * Runs a tool within its time limit. Every failure of the tool is a result; only what ends the attempt is thrown.
 * @param stop ends the whole batch: fires with the turn's signal, and when a call beside this one ended the attempt
 */
export async function runTool(turn: RunningTurn, run: ToolRun, stop: AbortSignal): Promise<ToolResult> {
  const { around, redact } = turn.deps;
  const once = async (trace?: TraceContext): Promise<ToolResult> => {
    const result = await runOnce(turn, run, stop, trace);
    return redact ? { ...result, text: redact(result.text) } : result;
  };
  return around ? around(run.call, run.args, once) : once();
}

async function runOnce(
  turn: RunningTurn,
  { call, tool, args, answered }: ToolRun,
  stop: AbortSignal,
  trace?: TraceContext,
): Promise<ToolResult> {
  const timeoutMs = tool.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`${tool.name} timed out`)), timeoutMs);
  const signal = AbortSignal.any([stop, limit.signal]);
  const sends = new GuardedSends(turn.deps.sends, signal);
  const context = {
    ...idsOf(turn),
    callId: call.id,
    sends: new HookedSends(turn, sends),
    state: new TurnState(turn.deps, turn.progress, signal),
    pay: (spent: Spent | undefined) => turn.progress.ledger.pay(spent),
    ...(answered && { answered }),
    trace,
  };
  try {
    const result = await withGrace(() => tool.execute(args, context, signal), {
      stop,
      signal,
      graceMs: tool.graceMs ?? DEFAULT_GRACE_MS,
      onAbandoned: () => turn.deps.toolAbandoned?.(tool.name),
    });
    if (sends.failure) throw sends.failure.error;
    return result;
  } catch (error) {
    stop.throwIfAborted();
    if (sends.failure) throw sends.failure.error;
    if (error instanceof LeaseLostError) throw error;
    return limit.signal.aborted ? observation.timedOut(tool.name, timeoutMs) : observation.threw(tool.name, error);
  } finally {
    clearTimeout(timer);
    limit.abort(new Error(`${tool.name} has ended`));
  }
}

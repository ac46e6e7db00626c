import type { ToolCall, ToolMessage } from '#contracts';
import { checkpoint, LeaseLostError } from '#kernel';
import { GuardedSends } from './guarded-sends.js';
import { observation } from './observation.js';
import { record, type RunningTurn } from './running-turn.js';
import { failuresInARow } from './tool-failures.js';
import { findTool } from './tool-names.js';
import type { Tool, ToolResult } from './tool-port.js';
import { underSignal } from './under-signal.js';

const DEFAULT_TIMEOUT_MS = 120_000;

/** Brings one call to its result, or takes the result an earlier attempt journalled. */
export async function runCall(turn: RunningTurn, call: ToolCall): Promise<void> {
  const { input, deps, journal, progress } = turn;
  const known = journal.finished(call.id);
  if (known) return progress.add(toolMessage(call, known));
  const { id, name } = call;
  const startedAt = deps.clock.monotonic();
  deps.emit({ type: 'tool.start', turn: input.turn, call: id, name });
  const { text, isError } = noteLimit(turn, name, await resultOf(turn, call));
  checkpoint('turn.executed');
  await record(turn, { k: 'finished', call: id, text, isError }, toolMessage(call, { text, isError }));
  deps.emit({ type: 'tool.end', turn: input.turn, call: id, name, isError });
  const durationMs = deps.clock.monotonic() - startedAt;
  deps.log?.('Tool call ended', { turnId: input.turn, tool: name, callId: id, durationMs, isError, arguments: call.arguments });
  checkpoint('turn.finished');
}

async function resultOf(turn: RunningTurn, call: ToolCall): Promise<ToolResult> {
  const { input, journal, progress } = turn;
  const tool = findTool(call.name, input.tools);
  const inDoubt = journal.wasStarted(call.id);
  if (inDoubt && (!tool || tool.effect === 'once')) return observation.unknownOutcome(call.name);
  if (!tool)
    return observation.unknownTool(
      call.name,
      input.tools.map(({ name }) => name),
    );
  if (failuresInARow(progress.messages, tool.name) >= input.toolFailureLimit) return observation.withheld(tool.name);
  const args = parseArguments(call.arguments);
  if (!args) return observation.malformed(tool.name);
  if (!inDoubt) await record(turn, { k: 'started', call: call.id });
  checkpoint('turn.started');
  return execute(turn, tool, call.id, args);
}

/** Runs a tool within its time limit. Every failure of the tool is a result; only what ends the attempt is thrown. */
async function execute(turn: RunningTurn, tool: Tool, callId: string, args: Record<string, unknown>): Promise<ToolResult> {
  const { tenant, session, turn: id } = turn.input;
  const timeoutMs = tool.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`${tool.name} timed out`)), timeoutMs);
  const stop = AbortSignal.any([turn.signal, limit.signal]);
  const sends = new GuardedSends(turn.deps.sends, stop);
  try {
    const { text, isError } = await underSignal(stop, () =>
      tool.execute(args, { tenant, session, turn: id, callId, sends }, stop),
    );
    if (sends.failure) throw sends.failure.error;
    return { text, isError };
  } catch (error) {
    turn.signal.throwIfAborted();
    if (sends.failure) throw sends.failure.error;
    if (error instanceof LeaseLostError) throw error;
    return limit.signal.aborted ? observation.timedOut(tool.name, timeoutMs) : observation.threw(tool.name, error);
  } finally {
    clearTimeout(timer);
    limit.abort(new Error(`${tool.name} has ended`));
  }
}

/** The failure that reaches the limit tells the model so. */
function noteLimit({ input, progress }: RunningTurn, tool: string, result: ToolResult): ToolResult {
  const failures = failuresInARow(progress.messages, tool) + 1;
  return result.isError && failures === input.toolFailureLimit ? observation.lastFailure(result, tool, failures) : result;
}

/** Models leave the arguments of a tool without parameters empty. */
function parseArguments(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toolMessage(call: ToolCall, { text, isError }: ToolResult): ToolMessage {
  return { role: 'tool', callId: call.id, name: call.name, text, isError };
}

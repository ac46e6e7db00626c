import type { ToolCall } from '#contracts';
import { checkpoint } from '#kernel';
import { observation } from './observation.js';
import { ResultWriter } from './result-writer.js';
import { idsOf, recordAll, type RunningTurn } from './running-turn.js';
import { failuresInARow } from './tool-failures.js';
import { findTool } from './tool-names.js';
import { planCall, type ToolPlan } from './tool-plan.js';
import type { Tool, ToolResult } from './tool-port.js';
import { runTool } from './tool-run.js';
import type { Answer, Started } from './turn-journal.js';

/**
 * Brings all calls of an answer to their results, in call order, or takes those an earlier attempt journalled. Side by
 * side where every call allows it, else one after the other.
 */
export async function runCalls(turn: RunningTurn, { toolCalls }: Answer): Promise<void> {
  const loop = turn.loops.block(toolCalls);
  if (loop !== undefined) return runBatch(turn, toolCalls, async (call) => known(call, observation.loop(loop)));
  if (toolCalls.every((call) => mayRunBeside(findTool(call.name, turn.input.tools)))) return runBatch(turn, toolCalls, plan);
  for (const call of toolCalls) await runBatch(turn, [call], plan);

  function plan(call: ToolCall): Promise<ToolPlan> {
    return planCall(turn, call);
  }
}

function mayRunBeside(tool: Tool | undefined): boolean {
  return tool !== undefined && (tool.parallelSafe ?? tool.effect === 'pure');
}

function known(call: ToolCall, result: ToolResult): ToolPlan {
  return { kind: 'known', call, result };
}

/** One step says what is started; results are journalled as they come and reach the model in call order. */
async function runBatch(
  turn: RunningTurn,
  calls: readonly ToolCall[],
  planOf: (call: ToolCall) => Promise<ToolPlan>,
): Promise<void> {
  const results = new Map<string, ToolResult>();
  const plans: ToolPlan[] = [];
  for (const call of calls) {
    const finished = turn.journal.finished(call.id);
    if (finished) results.set(call.id, finished);
    else plans.push(await begin(turn, call, planOf));
  }
  const others = new AbortController();
  const stop = AbortSignal.any([turn.signal, others.signal]);
  const writer = new ResultWriter(turn, ({ call, text, isError }) => results.set(call, { text, isError }));
  const runs = new Map<string, Promise<ToolResult>>();
  try {
    await recordStarts(turn, plans);
    await Promise.all(plans.map((plan) => finish(turn, plan, writer, runs, stop)));
  } catch (error) {
    others.abort(error);
    throw error;
  } finally {
    for (const call of calls) addResult(turn, call, results.get(call.id));
  }
}

async function begin(turn: RunningTurn, call: ToolCall, planOf: (call: ToolCall) => Promise<ToolPlan>): Promise<ToolPlan> {
  turn.deps.emit({ type: 'tool.start', turn: turn.input.turn, call: call.id, name: call.name });
  return planOf(call);
}

async function recordStarts(turn: RunningTurn, plans: readonly ToolPlan[]): Promise<void> {
  const started = plans.flatMap((plan): Started[] => {
    if (plan.kind !== 'run' || turn.journal.wasStarted(plan.call.id)) return [];
    return [{ k: 'started', call: plan.call.id, ...(plan.edited !== undefined && { arguments: plan.edited }) }];
  });
  if (started.length > 0) await recordAll(turn, started, () => started.forEach((entry) => turn.journal.remember(entry)));
  if (plans.some(({ kind }) => kind === 'run')) checkpoint('turn.started');
}

async function finish(
  turn: RunningTurn,
  plan: ToolPlan,
  writer: ResultWriter,
  runs: Map<string, Promise<ToolResult>>,
  stop: AbortSignal,
): Promise<void> {
  const { input, deps } = turn;
  const { id, name } = plan.call;
  const startedAt = deps.clock.monotonic();
  const { text, isError } = plan.kind === 'known' ? plan.result : await runOnce(turn, plan, runs, stop);
  checkpoint('turn.executed');
  await writer.add({ k: 'finished', call: id, text, isError });
  deps.emit({ type: 'tool.end', turn: input.turn, call: id, name, isError });
  const durationMs = deps.clock.monotonic() - startedAt;
  const args = turn.journal.argumentsOf(plan.call);
  deps.log?.('Tool call ended', { turnId: input.turn, tool: name, callId: id, durationMs, isError, arguments: args });
  if (plan.kind === 'run')
    turn.hooks.observe('after_tool_call', {
      ...idsOf(turn),
      tool: name,
      callId: id,
      arguments: plan.args,
      text,
      isError,
      durationMs,
    });
  checkpoint('turn.finished');
}

/** Equal pure calls of one batch share one run (TU-9). */
function runOnce(
  turn: RunningTurn,
  plan: Extract<ToolPlan, { kind: 'run' }>,
  runs: Map<string, Promise<ToolResult>>,
  stop: AbortSignal,
): Promise<ToolResult> {
  if (plan.shared === undefined) return runTool(turn, plan, stop);
  const running = runs.get(plan.shared) ?? runTool(turn, plan, stop);
  runs.set(plan.shared, running);
  return running;
}

/** What the model reads of a result, with what it should know about it. Derived anew by each attempt. */
function addResult(turn: RunningTurn, call: ToolCall, result: ToolResult | undefined): void {
  if (!result) return;
  const { input, journal, progress } = turn;
  const { id: callId, name } = call;
  const { text, isError } = result;
  const tool = findTool(name, input.tools);
  turn.reusable.add(tool, journal.argumentsOf(call), result);
  const loop = turn.loops.add(call, text);
  const failures = failuresInARow(progress.messages, name) + 1;
  const withheld = isError && tool && failures === input.toolFailureLimit;
  const notes = [
    ...(withheld ? [observation.nowWithheld(name, failures)] : []),
    ...(loop === undefined ? [] : [observation.loopWarning(loop)]),
  ];
  progress.add({ role: 'tool', callId, name, text: [text, ...notes].join('\n\n'), isError });
}

import type { Park, ToolCall } from '#contracts';
import { observation } from './observation.js';
import type { RunningTurn } from './running-turn.js';
import { ToolBatch } from './tool-batch.js';
import { findTool, toolsOf } from './tool-names.js';
import { known, planCall, type ToolPlan } from './tool-plan.js';
import type { Answer } from './turn-journal.js';

/**
 * Brings all calls of an answer to their results, in call order, or takes those an earlier attempt journalled. Side by
 * side where every call allows it, else one after the other. Throws TerminalError('tool_loop'); TurnCancelled.
 *
 * Calls that have not begun when a message joins the turn are skipped.
 *
 * @returns what a call waits for; those behind it have not begun, unless they ran beside it.
 */
export async function runCalls(turn: RunningTurn, { step, toolCalls, model }: Answer): Promise<Park | undefined> {
  const tools = toolsOf(turn.input, model);
  const plan = (call: ToolCall): Promise<ToolPlan> => planCall(turn, call, tools);
  if (!(await mayLaunch(turn, step, toolCalls))) return skip(turn, toolCalls);
  const loop = loopOf(turn, toolCalls);
  if (loop !== undefined) return new ToolBatch(turn, toolCalls).run(async (call) => known(call, observation.loop(loop)));
  if (toolCalls.every((call) => mayRunBeside(turn, call))) return new ToolBatch(turn, toolCalls).run(plan);
  for (const [index, call] of toolCalls.entries()) {
    if (!(await mayLaunch(turn, step, [call]))) return skip(turn, toolCalls.slice(index));
    const park = await new ToolBatch(turn, [call]).run(plan);
    if (park) return park;
  }
  return undefined;
}

/** What was launched before goes on to its end, whatever has joined since. */
async function mayLaunch({ journal, steering }: RunningTurn, step: number, calls: readonly ToolCall[]): Promise<boolean> {
  return calls.some(({ id }) => journal.knows(id)) || !(await steering.joins(step));
}

/** No failure of the tool, and nothing to journal: the place of what joined says it. */
function skip({ progress }: RunningTurn, calls: readonly ToolCall[]): undefined {
  for (const { id: callId, name } of calls) progress.add({ role: 'tool', callId, name, ...observation.skipped() });
}

/** Calls that an earlier attempt began to run were not blocked then. */
function loopOf({ journal, loops }: RunningTurn, calls: readonly ToolCall[]): string | undefined {
  return calls.some(({ id }) => journal.wasStarted(id)) ? undefined : loops.block(calls);
}

function mayRunBeside({ input }: RunningTurn, { name }: ToolCall): boolean {
  const tool = findTool(name, input.tools);
  return tool !== undefined && (tool.parallelSafe ?? tool.effect === 'pure');
}

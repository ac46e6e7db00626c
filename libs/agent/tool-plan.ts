import type { Park, ToolCall } from '#contracts';
import { assertNever } from '#kernel';
import type { Approval } from './hooks/hook-contracts.js';
import { observation } from './observation.js';
import { ReusableResults } from './reusable-results.js';
import { idsOf, type RunningTurn } from './running-turn.js';
import { failuresInARow } from './tool-failures.js';
import { findTool } from './tool-names.js';
import { readShared } from './shared-results.js';
import type { Tool, ToolResult } from './tool-port.js';
import type { ToolRun } from './tool-run.js';
import type { Resolved } from './turn-journal.js';
import { TurnCancelled } from './turn-types.js';

/** What becomes of a call: it has its result without running, it waits for a person, or it runs. */
export type ToolPlan =
  | { kind: 'known'; call: ToolCall; result: ToolResult }
  | { kind: 'parked'; call: ToolCall; park: Park }
  | ({
      kind: 'run';
      /** A hook's arguments, to be journalled before they are used. */
      edited: string | undefined;
      /** Equal calls of one batch run once. */
      shared: string | undefined;
    } & ToolRun);

export function known(call: ToolCall, result: ToolResult): ToolPlan {
  return { kind: 'known', call, result };
}

/** Decides about one call, to one of `tools`. A call that was started before runs again as it was decided then, if its effect allows (TU-1). */
export async function planCall(turn: RunningTurn, call: ToolCall, tools: readonly Tool[]): Promise<ToolPlan> {
  const { input, journal, progress, reusable } = turn;
  const tool = findTool(call.name, tools);
  const said = journal.resolved(call.id, 'question') ?? journal.resolved(call.id, 'approval');
  const goesOn = said?.decision === 'answered' ? journal.asked(call.id) : undefined;
  if (said && said.decision !== 'approved' && !goesOn) return known(call, resultOf(call, said));
  const inDoubt = journal.wasStarted(call.id);
  if (inDoubt && (!tool || tool.effect === 'once')) return known(call, observation.unknownOutcome(call.name));
  if (!tool) return known(call, observation.unknownTool(call.name, namesOf(tools)));
  if (failuresInARow(progress.messages, tool.name) >= input.toolFailureLimit) return known(call, observation.withheld(tool.name));
  const reason = turn.deps.refusal?.(tool.name);
  if (reason !== undefined) return known(call, observation.refused(tool.name, reason));
  const asked = parseArguments(journal.argumentsOf(call));
  if (typeof asked === 'string') return known(call, observation.malformed(tool.name, asked));
  const decided: Decided = inDoubt || said ? { args: asked, edited: undefined } : await askHooks(turn, call, asked);
  if (decided.refused !== undefined) return known(call, observation.refused(tool.name, decided.refused));
  const { args, edited, approval } = decided;
  if (approval) return { kind: 'parked', call, park: approvalOf(call, approval, args) };
  const given = edited ?? journal.argumentsOf(call);
  const shared = ReusableResults.key(tool, given);
  const before = reusable.get(shared) ?? (await readShared(turn, tool, given));
  if (before) return known(call, before);
  const answered = said && goesOn && { resume: goesOn.resume, text: said.text };
  return { kind: 'run', call, tool, args, edited, shared, ...(answered && { answered }) };
}

type Decided =
  | { refused: string; args?: never }
  | { refused?: never; args: Record<string, unknown>; edited: string | undefined; approval?: Approval | undefined };

/** Throws TurnCancelled where the wait was ended by /stop. */
function resultOf({ name }: ToolCall, { decision, kind, text }: Resolved): ToolResult {
  switch (decision) {
    case 'cancelled':
      throw new TurnCancelled();
    case 'expired':
      return kind === 'approval' ? observation.notApproved(name) : observation.unanswered();
    case 'denied':
      return observation.denied(name, text);
    case 'approved':
    case 'answered':
      return { text, isError: false };
    default:
      return assertNever(decision);
  }
}

function approvalOf({ id: call, name: tool }: ToolCall, { title }: Approval, args: Record<string, unknown>): Park {
  return { call, tool, kind: 'approval', title, choices: [], arguments: JSON.stringify(args) };
}

/** Compared as text: a hook may have changed the object it was given. */
async function askHooks(turn: RunningTurn, call: ToolCall, args: Record<string, unknown>): Promise<Decided> {
  const asked = { ...idsOf(turn), tool: call.name, callId: call.id, arguments: args };
  const before = JSON.stringify(args);
  const verdict = await turn.hooks.gate('before_tool_call', asked, turn.signal);
  if (verdict.kind === 'refused') return { refused: verdict.reason };
  const { arguments: decided } = verdict.payload;
  const after = JSON.stringify(decided);
  return { args: decided, edited: after === before ? undefined : after, approval: verdict.approval };
}

/** Models leave the arguments of a tool without parameters empty. @returns text when they cannot be read: why. */
function parseArguments(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    return isObject(value) ? value : 'it is another kind of value';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function namesOf(tools: readonly { name: string }[]): string[] {
  return tools.map(({ name }) => name);
}

import type { ToolResult } from './tool-port.js';

/** Names come from the model: enough to recognise one, not enough to flood the context. */
const NAME_LIMIT = 80;

function failure(text: string): ToolResult {
  return { text, isError: true };
}

/** What the model reads when a call did not lead to a result of its tool. */
export const observation = {
  unknownTool: (name: string, available: readonly string[]) =>
    failure(`There is no tool named "${name.slice(0, NAME_LIMIT)}". Available tools: ${available.join(', ') || 'none'}.`),
  malformed: (tool: string, problem: string) =>
    failure(`The arguments of ${tool} must be one JSON object (${problem}). Nothing was run; call it again.`),
  refused: (tool: string, reason: string) => failure(`${tool} was not run: ${reason}.`),
  denied: (tool: string, reason: string) =>
    failure(`${tool} was not run: the user did not allow it${reason && ` (${reason})`}. Do not ask for it again.`),
  notApproved: (tool: string) => failure(`${tool} was not run: nobody allowed it in time.`),
  unanswered: () => failure('The user did not answer in time.'),
  loop: (reason: string) =>
    failure(`Nothing was run, because ${reason}. Answer the user now with what you have, or do something else.`),
  unknownOutcome: (tool: string) =>
    failure(`The outcome of ${tool} is unknown: the process stopped while it ran. It was not run again.`),
  timedOut: (tool: string, ms: number) => failure(`${tool} did not finish within ${ms / 1000} s and was stopped.`),
  threw: (tool: string, error: unknown) => failure(`${tool} failed: ${error instanceof Error ? error.message : String(error)}`),
  skipped: (): ToolResult => ({ text: 'Skipped: the user sent a new message before this was begun.', isError: false }),
  withheld: (tool: string) => failure(`${tool} is withheld for the rest of this turn. Go on without it.`),
  nowWithheld: (tool: string, failures: number) =>
    `${tool} failed ${failures} times in a row and is withheld for the rest of this turn.`,
  loopWarning: (reason: string) => `You are not getting on: ${reason}. Do something else, or answer with what you have.`,
};

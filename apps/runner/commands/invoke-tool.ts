import type { Tool, TurnProgress, TurnResult } from '#agent';
import { invocationSchema, type Invocation } from '#contracts';
import { describeProblems, JsonSchema } from '#tools';
import type { Ending } from '../turn-commit.js';

/** What runs the call under the claim (TurnAttempt). */
export interface ToolInvoker {
  /** undefined: there is no such tool for whoever asks. */
  invokable(name: string): Promise<Tool | undefined>;
  invoke(invocation: Invocation, tool: Tool): Promise<Pick<TurnResult, 'messages' | 'park'>>;
  /** What the call has set with the session, once it has run. */
  readonly progress: Pick<TurnProgress, 'state'>;
}

/**
 * One call of a tool that somebody asked for over HTTP (TO-6), as a turn of its own: journalled, resumed and hooked as those of
 * models are, and no part of the conversation. What it refuses it says by a reason of the record.
 */
export async function invokeTool(args: string, invoker: ToolInvoker): Promise<Ending> {
  const invocation = invocationSchema.parse(JSON.parse(args));
  const tool = await invoker.invokable(invocation.tool);
  if (!tool) return refused('unknown_tool', `There is no tool "${invocation.tool}" that this caller may invoke.`);
  const problems = new JsonSchema(tool.parameters).problems(invocation.args);
  if (problems.length > 0) return refused('invalid_arguments', describeProblems(problems));
  const { messages, park } = await invoker.invoke(invocation, tool);
  if (park) return refused('needs_a_person', `${tool.name} asks a person: call it in a chat.`);
  return { outcome: 'command', messages, state: invoker.progress.state, say: undefined };
}

function refused(reason: string, text: string): Ending {
  return { outcome: 'command', reason, messages: [{ role: 'assistant', text, toolCalls: [] }], say: undefined };
}

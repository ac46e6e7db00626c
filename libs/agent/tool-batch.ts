import type { Park, ToolCall } from '#contracts';
import { checkpoint } from '#kernel';
import { observation } from './observation.js';
import { ResultWriter } from './result-writer.js';
import { idsOf, recordAll, type RunningTurn } from './running-turn.js';
import { failuresInARow } from './tool-failures.js';
import { writeShared } from './shared-results.js';
import { findTool } from './tool-names.js';
import type { ToolPlan } from './tool-plan.js';
import type { ToolResult } from './tool-port.js';
import { runTool } from './tool-run.js';
import type { Started } from './turn-journal.js';
import { TurnCancelled } from './turn-types.js';

type Begun = Exclude<ToolPlan, { kind: 'parked' }>;

/** Calls that run side by side: one step says what is started, results are journalled as they come. */
export class ToolBatch {
  readonly #results = new Map<string, ToolResult>();
  /** Equal pure calls share one run (TU-9). */
  readonly #runs = new Map<string, Promise<ToolResult>>();
  readonly #parks = new Map<string, Park>();
  readonly #writer: ResultWriter;
  /** Stops the other calls when one has ended the attempt. */
  readonly #failed = new AbortController();
  readonly #stop: AbortSignal;

  constructor(
    private readonly turn: RunningTurn,
    private readonly calls: readonly ToolCall[],
  ) {
    this.#writer = new ResultWriter(turn, ({ call, text, isError }) => this.#results.set(call, { text, isError }));
    this.#stop = AbortSignal.any([turn.signal, this.#failed.signal]);
  }

  /**
   * Afterwards the model's messages hold every result there is, in call order. `planOf` is asked one call after the other.
   * @returns what the first call that waits for a person waits for; none behind an approval that is missing has begun
   */
  async run(planOf: (call: ToolCall) => Promise<ToolPlan>): Promise<Park | undefined> {
    try {
      const plans = await this.#plan(planOf);
      await this.#start(plans);
      await Promise.all(plans.map((plan) => this.#finish(plan)));
      return this.calls.flatMap(({ id }) => this.#parks.get(id) ?? [])[0];
    } catch (error) {
      this.#failed.abort(error);
      throw error;
    } finally {
      for (const call of this.calls) this.#show(call, this.#results.get(call.id));
    }
  }

  async #plan(planOf: (call: ToolCall) => Promise<ToolPlan>): Promise<Begun[]> {
    const { journal, deps, input } = this.turn;
    const plans: Begun[] = [];
    for (const call of this.calls) {
      const finished = journal.finished(call.id);
      if (finished) this.#results.set(call.id, finished);
      else if (input.cancelled) throw new TurnCancelled();
      else if (this.#parks.size === 0) {
        deps.emit({ type: 'tool.start', turn: input.turn, call: call.id, name: call.name });
        const plan = await planOf(call);
        if (plan.kind === 'parked') this.#parks.set(call.id, plan.park);
        else plans.push(plan);
      }
    }
    return plans;
  }

  async #start(plans: readonly Begun[]): Promise<void> {
    const { journal } = this.turn;
    const runs = plans.flatMap((plan) => (plan.kind === 'run' ? [plan] : []));
    const started = runs
      .filter(({ call }) => !journal.wasStarted(call.id))
      .map(({ call, edited }): Started => ({ k: 'started', call: call.id, ...(edited !== undefined && { arguments: edited }) }));
    if (started.length > 0) await recordAll(this.turn, started, () => started.forEach((entry) => journal.remember(entry)));
    if (runs.length > 0) checkpoint('turn.started');
  }

  async #finish(plan: Begun): Promise<void> {
    const { input, deps, journal, hooks } = this.turn;
    const { id: callId, name: tool } = plan.call;
    const startedAt = deps.clock.monotonic();
    const { text, isError, asks } = plan.kind === 'known' ? plan.result : await this.#runOnce(plan);
    checkpoint('turn.executed');
    if (asks) return this.#wait(plan.call, text, asks);
    await this.#writer.add({ k: 'finished', call: callId, text, isError });
    deps.emit({ type: 'tool.end', turn: input.turn, call: callId, name: tool, isError });
    const durationMs = deps.clock.monotonic() - startedAt;
    const ended = { tool, callId, isError, durationMs };
    deps.log?.('Tool call ended', { turnId: input.turn, ...ended, arguments: journal.argumentsOf(plan.call) });
    if (plan.kind === 'run') hooks.observe('after_tool_call', { ...idsOf(this.turn), ...ended, arguments: plan.args, text });
    checkpoint('turn.finished');
  }

  #wait(call: ToolCall, title: string, { choices, resume }: NonNullable<ToolResult['asks']>): void {
    const { id, name: tool } = call;
    const { journal } = this.turn;
    const before = journal.asked(id);
    this.#parks.set(id, {
      call: id,
      tool,
      kind: 'question',
      title,
      choices: [...choices],
      arguments: journal.argumentsOf(call),
      ...(resume !== undefined && { resume, round: before ? before.round + 1 : 0 }),
    });
  }

  #runOnce(plan: Extract<ToolPlan, { kind: 'run' }>): Promise<ToolResult> {
    const run = async (): Promise<ToolResult> => {
      const result = await runTool(this.turn, plan, this.#stop);
      writeShared(this.turn, plan.tool, plan.edited ?? this.turn.journal.argumentsOf(plan.call), result);
      return result;
    };
    if (plan.shared === undefined) return run();
    const running = this.#runs.get(plan.shared) ?? run();
    this.#runs.set(plan.shared, running);
    return running;
  }

  /** What the model reads of a result, with what it should know about it. Derived anew by each attempt. */
  #show(call: ToolCall, result: ToolResult | undefined): void {
    if (!result) return;
    const { input, journal, progress, reusable, loops } = this.turn;
    const { id: callId, name } = call;
    const { text, isError } = result;
    const tool = findTool(name, input.tools);
    reusable.add(tool, journal.argumentsOf(call), result);
    const loop = loops.add(call, text);
    const failures = failuresInARow(progress.messages, name) + 1;
    const notes = [
      ...(isError && tool && failures === input.toolFailureLimit ? [observation.nowWithheld(name, failures)] : []),
      ...(loop === undefined ? [] : [observation.loopWarning(loop)]),
    ];
    progress.add({ role: 'tool', callId, name, text: [text, ...notes].join('\n\n'), isError });
  }
}

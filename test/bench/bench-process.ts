import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Percentiles } from './percentiles.js';
import type { Mark, Question, Questions, Usage } from './questions.js';
import { hostMs } from './host-clock.js';
import { processOptions } from './process-options.js';
import { RedisMeter } from './redis-meter.js';

type Answers = { [Name in keyof Questions]?: (input: Questions[Name]['input']) => Promise<Questions[Name]['output']> };

const LAG_EVERY_MS = 5;

/** The child's side of the bench: counts, marks, a gate, and answers to main. Ends when main does. */
export class BenchProcess {
  readonly meter = RedisMeter.install(processOptions().countRoundTrips);
  handled = 0;
  private readonly lag = monitorEventLoopDelay({ resolution: LAG_EVERY_MS });
  private marks: Mark[] = [];
  private opened = Promise.resolve();
  private open: () => void = () => undefined;

  constructor() {
    process.on('disconnect', () => process.exit(0));
  }

  mark(place: Mark['place'], n: number): void {
    this.marks.push({ place, n, at: hostMs() });
  }

  /** Resolves when the gate is open. */
  gate(): Promise<void> {
    return this.opened;
  }

  /** Tells main that this process is up, and answers from now on. */
  serve(more: Answers = {}): void {
    const answers: Answers = {
      usage: () => Promise.resolve(this.usage()),
      handled: () => Promise.resolve(this.handled),
      loopLag: () => Promise.resolve(this.loopLag()),
      marks: () => Promise.resolve(this.marks.splice(0)),
      gate: (state) => Promise.resolve(this.setGate(state)),
      ...more,
    };
    process.on('message', (question: Question) => void this.answer(answers, question));
    process.send?.('up');
  }

  private async answer(answers: Answers, { name, input }: Question): Promise<void> {
    const answer = answers[name] as ((input: unknown) => Promise<unknown>) | undefined;
    if (!answer) throw new Error(`${process.argv[1]} has no answer to "${name}"`);
    process.send?.({ output: await answer(input) });
  }

  private setGate(state: 'open' | 'closed'): null {
    if (state === 'open') this.open();
    else this.opened = new Promise((resolve) => (this.open = resolve));
    return null;
  }

  private loopLag(): Percentiles {
    this.lag.enable();
    const lag = { p50: this.lag.percentile(50) / 1e6 - LAG_EVERY_MS, p99: this.lag.percentile(99) / 1e6 - LAG_EVERY_MS };
    this.lag.reset();
    return lag;
  }

  private usage(): Usage {
    const { user, system } = process.cpuUsage();
    const { sent, roundTrips } = this.meter;
    return { cpuUs: user + system, sent, roundTrips };
  }
}

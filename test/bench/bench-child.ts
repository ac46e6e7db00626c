import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Questions } from './questions.js';

export const ADMIN_TOKEN = 'bench-admin-token';

export interface ChildOptions {
  redisUrl: string;
  concurrency: number;
  countRoundTrips: boolean;
  /** Where a CPU profile of each process goes. */
  profileDir: string | undefined;
  /** Of a model server, to be asked instead of the echo in the process. */
  modelUrl?: string;
  /** Of the product; its defaults when left out. */
  configFile?: string;
}

/** Main's side of one bench process. */
export class BenchChild {
  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
  ) {}

  /** @param entry of new URL('./x.process.js', import.meta.url). Rejects when the process ends before it is up. */
  static async start(entry: URL, options: ChildOptions): Promise<BenchChild> {
    const { redisUrl, profileDir, modelUrl, configFile } = options;
    const name = entry.pathname.replace(/^.*\/(.*)\.process\.js$/, '$1');
    const child = fork(entry, wordsFor(options), {
      execArgv:
        profileDir === undefined
          ? []
          : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`, `--cpu-prof-name=${name}-${Date.now()}.cpuprofile`],
      // Log lines are written as in production, at level info, and go nowhere.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        ...process.env,
        REDIS_URL: redisUrl,
        PORT: '0',
        OPS_PORT: '0',
        LOG_LEVEL: 'info',
        TURNPIKE_ADMIN_TOKEN: ADMIN_TOKEN,
        ...(configFile !== undefined && { TURNPIKE_CONFIG: configFile }),
        ...(modelUrl !== undefined && { OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: 'bench' }),
      },
    });
    const started = new BenchChild(name, child);
    await started.message();
    return started;
  }

  /** One question at a time. Rejects when the process ends instead of answering. */
  async ask<Name extends keyof Questions>(name: Name, input: Questions[Name]['input']): Promise<Questions[Name]['output']> {
    const answer = this.message();
    this.child.send({ name, input });
    const { output } = (await answer) as { output: Questions[Name]['output'] };
    return output;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }

  /** As `kill -9`. */
  async kill(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private async message(): Promise<unknown> {
    const done = new AbortController();
    const { signal } = done;
    const ended = once(this.child, 'exit', { signal }).then(([code]) => {
      throw new Error(`Bench process ${this.name} ended (${code}); see its lines above, or run it with LOG_LEVEL=debug`);
    });
    try {
      const [message] = await Promise.race([once(this.child, 'message', { signal }), ended]);
      return message;
    } finally {
      done.abort();
      ended.catch(() => undefined);
    }
  }
}

function wordsFor({ concurrency, countRoundTrips, modelUrl }: ChildOptions): string[] {
  return [
    '--concurrency',
    String(concurrency),
    ...(countRoundTrips ? ['--count-round-trips'] : []),
    ...(modelUrl === undefined ? [] : ['--model', 'openai/bench']),
  ];
}

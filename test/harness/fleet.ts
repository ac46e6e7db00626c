import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asRedisUser } from './redis-user.js';
import type { Order } from '../processes/arm-checkpoints.js';

export type Kind = 'ingress' | 'runner' | 'dispatcher';

/** One process of the fleet. */
export interface Member {
  readonly kind: Kind;
  /** Also its API key at the judge. */
  readonly name: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** Resolves with its log line `Ready`; rejects when it ends before. */
  readonly ready: Promise<void>;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Where it listens, for ingress; known once it is ready. */
  url: string;
  /** JSON log lines, newest last. */
  readonly lines: Record<string, unknown>[];
}

export interface FleetOptions {
  redisUrl: string;
  modelUrl: string;
  toolUrl: string;
  /** Merged into the configuration of every member. */
  config?: Record<string, unknown>;
  /** Kept lines per member. */
  keepLines?: number;
}

export interface Stop {
  name: string;
  from: number;
  to: number;
}

const PROCESSES = join(import.meta.dirname, import.meta.dirname.includes('dist') ? '../processes' : '../../dist/test/processes');
const URL_FIELD = 'url';

/** Real processes of the product, each killable at a named place. Everything it spawned ends with it. */
export class Fleet {
  readonly members = new Set<Member>();
  /** Members that were stopped and went on. */
  readonly stops: Stop[] = [];
  readonly killedAt = new Map<string, number>();
  /** What a sweeper had to heal: always a bug. */
  readonly swept: unknown[] = [];
  private readonly dir = mkdtempSync(join(tmpdir(), 'turnpike-fleet-'));
  private readonly hitsFile = join(this.dir, 'hits');
  private readonly configFile = join(this.dir, 'turnpike.json5');
  private names = 0;

  constructor(private readonly options: FleetOptions) {
    writeFileSync(this.hitsFile, '');
    writeFileSync(this.configFile, JSON.stringify(fleetConfig(options)));
  }

  get configPath(): string {
    return this.configFile;
  }

  of(kind: Kind): Member[] {
    return [...this.members].filter((member) => member.kind === kind);
  }

  async start(kind: Kind, count = 1, env: NodeJS.ProcessEnv = {}): Promise<Member[]> {
    const started = Array.from({ length: count }, () => this.spawn(kind, env));
    await Promise.all(started.map(({ ready }) => ready));
    return started;
  }

  /** @param program which of test/processes plays this kind */
  spawn(kind: Kind, env: NodeJS.ProcessEnv = {}, program: string = kind): Member {
    const name = `${kind}-${++this.names}`;
    const child = fork(join(PROCESSES, `${program}.process.js`), [], {
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        PATH: process.env.PATH,
        TURNPIKE_CONFIG: this.configFile,
        OPENAI_API_KEY: name,
        OPENAI_BASE_URL: this.options.modelUrl,
        TEST_JUDGE: this.options.toolUrl,
        TEST_HITS: this.hitsFile,
        TEST_MEMBER: name,
        ...env,
      },
    });
    const lines: Record<string, unknown>[] = [];
    const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
      child.once('exit', (code, signal) => resolve({ code, signal })),
    );
    const ready = new Promise<void>((resolve, reject) => {
      this.read(child, lines, resolve, (url) => (member.url = url));
      void exited.then(({ code, signal }) =>
        reject(new Error(`${name} ended before it was ready (${code ?? signal}): ${JSON.stringify(lines.slice(-5))}`)),
      );
    });
    ready.catch(() => undefined);
    const member: Member = { kind, name, pid: child.pid ?? 0, child, ready, exited, url: '', lines };
    this.members.add(member);
    void exited.then(() => {
      this.members.delete(member);
      this.killedAt.set(name, Date.now());
    });
    return member;
  }

  /** Resolves when the member has heard the order. */
  async arm(member: Member, order: Order): Promise<void> {
    await Promise.race([member.ready, member.exited]);
    const heard = new Promise<void>((resolve) => member.child.once('message', () => resolve()));
    if (member.child.connected) member.child.send(order, () => undefined);
    await Promise.race([heard, member.exited]);
  }

  kill(member: Member): void {
    member.child.kill('SIGKILL');
  }

  /** Stops a member for `ms` and lets it go on. */
  stop(member: Member, ms: number): void {
    member.child.kill('SIGSTOP');
    this.resumeIn(member, ms);
  }

  /** For a member that stopped itself. */
  resumeIn(member: Member, ms: number): void {
    const stop: Stop = { name: member.name, from: Date.now(), to: Infinity };
    this.stops.push(stop);
    setTimeout(() => {
      member.child.kill('SIGCONT');
      stop.to = Date.now();
    }, ms);
  }

  /** Checkpoints hit so far: name -> process ids. */
  hits(): Map<string, number[]> {
    const found = new Map<string, number[]>();
    for (const line of readFileSync(this.hitsFile, 'utf8').split('\n').filter(Boolean)) {
      const [at = '', pid = ''] = line.split(' ');
      found.set(at, [...(found.get(at) ?? []), Number(pid)]);
    }
    return found;
  }

  async close(): Promise<void> {
    const ended = [...this.members].map(({ child, exited }) => {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      return exited;
    });
    await Promise.all(ended);
  }

  private read(child: ChildProcess, lines: Record<string, unknown>[], ready: () => void, url: (url: string) => void): void {
    const keep = this.options.keepLines ?? 200;
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (text) => {
        const line = parsed(text);
        lines.push(line);
        if (lines.length > keep) lines.shift();
        if (typeof line[URL_FIELD] === 'string') url(line[URL_FIELD]);
        if (line['msg'] === 'Ready') ready();
        if (String(line['msg']).startsWith('The sweeper found')) this.swept.push(line);
      });
    }
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { text };
  }
}

/** Short locks, so that a death is noticed within seconds; the rest as in production. */
function fleetConfig({ redisUrl, config = {} }: FleetOptions): Record<string, unknown> {
  const base = {
    redis: { url: asRedisUser(redisUrl) },
    http: { port: 0, host: '127.0.0.1' },
    ops: { port: 0, host: '127.0.0.1' },
    auth: { adminToken: 'test-admin-token-0000', requestsPerMinute: 1_000_000 },
    agents: { main: { model: 'openai/judge' } },
    session: { queue: { debounceMs: 0, cap: 0 } },
    lanes: { lockMs: 1500, stalledCheckMs: 400, crashesAllowed: 6, sweepMs: 5000, deliveries: { requestTimeoutMs: 600 } },
  };
  return deepMerge(base, config);
}

function deepMerge(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const out = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = out[key];
    out[key] = isRecord(before) && isRecord(value) ? deepMerge(before, value) : value;
  }
  return out;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { delay } from '#kernel';

export interface Program {
  command: string;
  args: readonly string[];
  /** All variables it sees. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
}

export interface Exit {
  how: string;
  /** The end of what it wrote on standard error. */
  lastWords: string;
}

/**
 * Becomes the program, after leaving a watcher behind in its process group. Descriptor 3 is a socket whose other end this
 * process alone holds: when it dies, however it dies, the watcher reads the end of it and ends the group. So there is no
 * moment in which a program runs unwatched.
 */
const LAUNCH = `(read -r _ <&3; trap '' TERM; kill -TERM 0; sleep 2; kill -KILL 0) <&- >&- 2>&- &
exec "$@" 3<&-`;

/** How long each of the gentler ways gets, ms: end of input, SIGTERM. */
const PATIENCE_MS = 1000;
/** Nothing can refuse SIGKILL; this is for the system to act on it, ms. */
const KILLED_MS = 200;
const POLL_MS = 20;
const LAST_WORDS_MS = 100;
/** Characters of what it wrote last on standard error, to tell why it ended. */
const KEPT_STDERR = 2000;

/** A program with all the children it may have, started and ended as one. Nothing of it outlives this process. */
export class ProcessGroup {
  /** Settles when the program itself has ended. Its children may live on until `end`. */
  readonly exited: Promise<Exit>;
  #stderr = '';

  private constructor(private readonly leader: ChildProcessByStdio<Writable, Readable, Readable>) {
    leader.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT_STDERR);
    });
    leader.stdin.on('error', () => undefined); // it has ended: `exited` says so
    // Its children may hold its output open, so `close` may never come; what it last wrote may still be on its way at `exit`.
    const closed = once(leader, 'close');
    this.exited = once(leader, 'exit').then(async () => {
      await Promise.race([closed, delay(LAST_WORDS_MS)]);
      return { how: `ended with ${leader.signalCode ?? `code ${leader.exitCode}`}`, lastWords: this.#stderr.trim() };
    });
  }

  /** Rejects when the shell cannot be started; a program that is not there ends at once, with code 127. */
  static async start({ command, args, env, cwd }: Program): Promise<ProcessGroup> {
    const leader = spawn('/bin/sh', ['-c', LAUNCH, 'sh', command, ...args], {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env,
      ...(cwd !== undefined && { cwd }),
    });
    await new Promise((resolve, reject) => leader.once('spawn', resolve).once('error', reject));
    return new ProcessGroup(leader);
  }

  get stdin(): Writable {
    return this.leader.stdin;
  }

  get stdout(): Readable {
    return this.leader.stdout;
  }

  /** Id of the program, and of its group. */
  get pid(): number {
    return this.leader.pid ?? 0;
  }

  /** Ends all of it: by the end of its input, SIGTERM, SIGKILL, in this order. Nothing of it runs when it returns. */
  async end(): Promise<void> {
    this.stdin.end();
    await Promise.race([this.exited, delay(PATIENCE_MS)]);
    if (!(await this.#gone('SIGTERM', PATIENCE_MS))) await this.#gone('SIGKILL', KILLED_MS);
    this.leader.stdout.destroy();
  }

  /** @returns whether nothing was left within `ms`. What ended, but was not reaped by init yet, still counts. */
  async #gone(signal: 'SIGTERM' | 'SIGKILL', ms: number): Promise<boolean> {
    for (let waited = 0; waited < ms; waited += POLL_MS) {
      if (!this.#signal(waited === 0 ? signal : 0)) return true;
      await delay(POLL_MS);
    }
    return false;
  }

  /** @returns whether there was anybody to signal */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.pid, signal);
    } catch {
      return false;
    }
  }
}

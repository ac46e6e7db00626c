import { Queue, type IRedisTransaction, type RedisClient as WrappedClient } from 'bullmq';
import { UnavailableError } from '#kernel';
import type { RedisClient, Script } from '#redis';

/** A MULTI of BullMQ's wrapped client, which takes its jobs. */
export type GuardedTransaction = IRedisTransaction & {
  eval(script: string, keyCount: number, ...args: (string | number)[]): unknown;
};

/**
 * Adds a guard, behind what it proves. As text, never by its hash: a guard that Redis has forgotten would leave a message
 * stored without its accept sequence, and a runner may be faster than the second try (seen by the torture test).
 */
export type AddGuard = (guard: Script, keys: readonly string[], args: readonly (string | number)[]) => void;
type Build = (transaction: GuardedTransaction, guard: AddGuard) => void;

/**
 * Runs MULTIs whose last commands prove that the ones before them worked. Any error among the replies of EXEC (NOSCRIPT after
 * SCRIPT FLUSH, OOM, a guard's refusal) means that nothing was acknowledged: the socket reconnects, because ioredis forgets
 * only then which scripts the server knows, the MULTI is sent once more, and then it is an UnavailableError (protocol 2.1).
 *
 * Uses a connection of role `multi`, of its own: nothing on it is ever sent again by itself.
 */
export class GuardedMulti {
  private client: WrappedClient | undefined;
  private resetting: Promise<void> | undefined;
  private resets = 0;

  constructor(
    private readonly redis: RedisClient,
    /** One try, ms: the caller's own caller waits (B050). */
    private readonly timeoutMs: number,
  ) {}

  /** How often the socket was reconnected after a refused EXEC. */
  get reconnects(): number {
    return this.resets;
  }

  async ready(): Promise<void> {
    // BullMQ wraps the connection and defines its own commands on it.
    const queue = new Queue('guarded', { connection: this.redis, skipMetasUpdate: true });
    queue.on('error', () => undefined);
    this.client = await queue.getBackend().client;
    // ioredis copies every script its connection knows into every MULTI; BullMQ has fifty, and this one adds jobs.
    const scripts: Record<string, unknown> = this.redis.scriptsSet;
    for (const name of Object.keys(scripts)) if (!name.startsWith('addStandardJob')) delete scripts[name];
  }

  /** @param build adds the commands, guards last. @returns the replies, in order. */
  async run(build: Build): Promise<unknown[]> {
    for (let attempt = 0; ; attempt++) {
      if (this.resetting) await this.resetting;
      if (this.redis.status !== 'ready') throw new UnavailableError('Redis is unreachable');
      try {
        return await this.once(build);
      } catch (error) {
        if (attempt > 0) throw new UnavailableError(`Redis did not confirm the write: ${String(error)}`, { cause: error });
        await this.reset();
      }
    }
  }

  private async once(build: Build): Promise<unknown[]> {
    const transaction = this.open();
    build(transaction, ({ lua }, keys, args) => transaction.eval(lua, keys.length, ...keys, ...args));
    const replies = await this.inTime(transaction.exec());
    if (!replies) throw new Error('EXEC was aborted');
    for (const [error] of replies) if (error) throw error;
    return replies.map(([, value]) => value);
  }

  private open(): GuardedTransaction {
    if (!this.client) throw new UnavailableError('Not connected to Redis yet');
    return this.client.multi() as GuardedTransaction;
  }

  private reset(): Promise<void> {
    this.resetting ??= this.reconnect().finally(() => (this.resetting = undefined));
    return this.resetting;
  }

  private async reconnect(): Promise<void> {
    this.resets++;
    const ready = new Promise<void>((resolve) => this.redis.once('ready', () => resolve()));
    this.redis.disconnect(true);
    await this.inTime(ready).catch((error: unknown) => {
      throw new UnavailableError('Redis is unreachable', { cause: error });
    });
  }

  private async inTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${this.timeoutMs} ms`)), this.timeoutMs);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

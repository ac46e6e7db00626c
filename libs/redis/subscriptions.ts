import type { RedisClient } from './connection.js';

type Listener = (message: string) => void;

/**
 * One subscriber connection for a whole process. Best effort by nature: whoever listens must also look for itself now and then.
 * ioredis subscribes again by itself after a reconnect.
 */
export class Subscriptions {
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(private readonly redis: RedisClient) {
    redis.on('message', (channel: string, message: string) => {
      for (const listener of this.listeners.get(channel) ?? []) listener(message);
    });
  }

  /** Returns the way to stop listening. */
  async listen(channel: string, listener: Listener): Promise<() => void> {
    const known = this.listeners.get(channel);
    if (known) known.add(listener);
    else {
      this.listeners.set(channel, new Set([listener]));
      await this.redis.subscribe(channel).catch(() => undefined);
    }
    return () => this.drop(channel, listener);
  }

  /** Whether the connection answers right now. */
  async alive(): Promise<boolean> {
    return (
      this.redis.status === 'ready' &&
      (await this.redis.ping().then(
        () => true,
        () => false,
      ))
    );
  }

  private drop(channel: string, listener: Listener): void {
    const known = this.listeners.get(channel);
    known?.delete(listener);
    if (known?.size !== 0) return;
    this.listeners.delete(channel);
    this.redis.unsubscribe(channel).catch(() => undefined);
  }
}

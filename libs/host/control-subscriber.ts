import { ServerRedis } from '@nestjs/microservices';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { cancelHintSchema, CONTROL, type CancelHint } from '#contracts';
import { describeError, systemClock, type Clock } from '#kernel';
import type { Logger } from '#telemetry';
import { controlOptions, type Link } from './control-options.js';

export interface ControlSubscriberOptions {
  redisUrl: string;
  logger: Logger;
  /** A message to itself through the subscription, this often, ms. Three missing ones in a row = the link is dead. */
  beatMs?: number;
  clock?: Clock;
}

const BEAT_MS = 2000;
const BEATS_MISSED = 3;

/**
 * Hears what other processes say (protocol 5). The transport reconnects and subscribes again by itself; a link that is dead
 * without having been closed is found by the missing heartbeat and cut, so that it does (B103).
 */
export class ControlSubscriber {
  private readonly server: ServerRedis;
  private readonly logger: Logger;
  private readonly clock: Clock;
  private readonly beatMs: number;
  /** Nobody else listens there: what comes back proves this process' own subscription. */
  private readonly beatChannel = `turnpike.beat.${randomUUID()}`;
  private timer: NodeJS.Timeout | undefined;
  private lastBeat = -Infinity;
  /** Since when the link has been open without being heard. */
  private silentSince = 0;

  constructor({ redisUrl, logger, beatMs = BEAT_MS, clock = systemClock }: ControlSubscriberOptions) {
    this.server = new ServerRedis(controlOptions(redisUrl));
    this.logger = logger;
    this.clock = clock;
    this.beatMs = beatMs;
    this.on(this.beatChannel, z.unknown(), () => (this.lastBeat = this.clock.monotonic()));
  }

  /** Listeners are added before `start`; what they throw is logged. */
  onCancel(listener: (hint: CancelHint) => void): void {
    this.on(CONTROL.cancel, cancelHintSchema, listener);
  }

  onConfigChanged(listener: () => void): void {
    this.on(CONTROL.configChanged, z.unknown(), listener);
  }

  onCatalogChanged(listener: () => void): void {
    this.on(CONTROL.catalogChanged, z.unknown(), listener);
  }

  /** Returns when the first try to connect has ended, well or not: a Redis that comes later is found. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      void this.server.listen((error?: unknown) => {
        // The transport subscribes only after a first connection that works; queued here, it happens when Redis comes.
        if (error) this.server.bindEvents(this.links().subscribed, this.links().publishing);
        resolve();
      });
    });
    this.silentSince = this.clock.monotonic();
    this.timer = setInterval(() => this.beat(), this.beatMs);
    this.beat();
  }

  /** Readiness: throws when the subscription has not been heard for three heartbeats. */
  check(): void {
    if (!this.alive()) throw new Error('the control subscription hears nothing from Redis; it reconnects by itself');
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    if (this.timer === undefined) return;
    // close() waits for QUIT, which never comes back from a Redis that is away.
    const closing = this.server.close().catch(() => undefined);
    for (const link of Object.values(this.links())) link.disconnect();
    await closing;
  }

  private on<T>(pattern: string, schema: z.ZodType<T>, listener: (hint: T) => void): void {
    const receive = async (data: unknown): Promise<void> => {
      try {
        listener(schema.parse(data));
      } catch (error) {
        this.logger.warn({ pattern, error: describeError(error) }, 'Control message failed');
      }
    };
    this.server.addHandler(pattern, receive, true);
  }

  private alive(): boolean {
    return this.clock.monotonic() - this.lastBeat <= this.beatMs * BEATS_MISSED;
  }

  private beat(): void {
    const { subscribed, publishing } = this.links();
    if (publishing.status === 'ready') {
      publishing.publish(this.beatChannel, JSON.stringify({ pattern: this.beatChannel, data: {} })).catch(() => undefined);
    }
    const now = this.clock.monotonic();
    if (this.alive() || subscribed.status !== 'ready') this.silentSince = now;
    if (now - this.silentSince <= this.beatMs * BEATS_MISSED) return;
    this.silentSince = now;
    this.logger.warn('Control subscription is silent: connecting again');
    subscribed.disconnect(true);
  }

  private links(): { subscribed: Link; publishing: Link } {
    const [publishing, subscribed] = this.server.unwrap<[Link, Link]>();
    return { subscribed, publishing };
  }
}

import type { OutboxRow, TurnEvent } from '#contracts';
import type { OutboxRowId, SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient, type Subscriptions } from '#redis';
import { EVENTS_TTL_MS } from './claimed-session.js';

export interface LoggedEvent {
  /** Stream id: the cursor to resume behind. */
  id: string;
  event: TurnEvent;
}

/** Pub/sub only says "look now"; a lost hint costs at most this (B103). */
const LOOK_ANYWAY_MS = 1_000;
const READ_AT_ONCE = 500;
const MARKER_TTL_MS = 7_200_000;

const appendOnceScript = loadScript(import.meta.dirname, 'append-once', 'time');

/** The event stream of a session: written by the claimed runner and by deliveries to web clients, read from any replica. */
export class EventLog {
  constructor(
    private readonly redis: RedisClient,
    private readonly subscriptions: Subscriptions,
    private readonly keyspace: Keyspace,
  ) {}

  /** A delivery to a web client; trying it again writes nothing. */
  async appendMessage(row: OutboxRow): Promise<void> {
    const session = row.session as SessionKey;
    const { id, turn, text, media, buttons, mode, n, action } = row;
    const { replyTo } = row.target;
    const content = { id, turn, text, ...(media && { media }), ...(buttons && { buttons }) };
    const delivery = { deliveryMode: mode, sequenceInTurn: n, deliveredAt: 0 };
    const event: TurnEvent = action
      ? { type: 'message.changed', ...content, action, ...delivery }
      : { type: 'message', ...content, ...(replyTo !== undefined && { replyTo }), ...delivery };
    const keys = [this.keyspace.eventOnce(session, row.id as OutboxRowId), this.keyspace.events(session)];
    await appendOnceScript.run(this.redis, keys, [MARKER_TTL_MS, EVENTS_TTL_MS, JSON.stringify(event)]);
  }

  /** The cursor of now: following it sees only what comes later. */
  async cursor(session: SessionKey): Promise<string> {
    const last = await this.redis.xrevrange(this.keyspace.events(session), '+', '-', 'COUNT', 1);
    return last[0]?.[0] ?? '0-0';
  }

  /** Yields everything behind `after`, then what comes, until `signal` fires (then it ends). Survives a Redis that is away for a while. */
  async *follow(session: SessionKey, after: string, signal: AbortSignal): AsyncGenerator<LoggedEvent, void, void> {
    const bell = new Bell(signal);
    const stop = await this.subscriptions.listen(this.keyspace.events(session), () => bell.ring());
    let cursor = after;
    try {
      while (!signal.aborted) {
        const heard = bell.next();
        const events = await this.read(session, cursor).catch(() => []);
        for (const event of events) {
          cursor = event.id;
          yield event;
          if (signal.aborted) return;
        }
        if (events.length < READ_AT_ONCE) await heard;
      }
    } finally {
      stop();
    }
  }

  private async read(session: SessionKey, after: string): Promise<LoggedEvent[]> {
    const entries = await this.redis.xrange(this.keyspace.events(session), `(${after}`, '+', 'COUNT', READ_AT_ONCE);
    return entries.map(([id, fields]) => ({ id, event: JSON.parse(fields[1] ?? '') as TurnEvent }));
  }
}

/** Resolves `next()` when rung, after a while anyway, and when the signal fires. */
class Bell {
  private wake: () => void = () => undefined;

  constructor(private readonly signal: AbortSignal) {}

  ring(): void {
    this.wake();
  }

  /** Ask before looking, wait after it: a ring in between is not lost. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake(), LOOK_ANYWAY_MS);
      this.wake = () => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', this.wake);
        resolve();
      };
      if (this.signal.aborted) this.wake();
      else this.signal.addEventListener('abort', this.wake, { once: true });
    });
  }
}

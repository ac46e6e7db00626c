import { Injectable } from '@nestjs/common';
import type { Envelope, OutboxRow } from '#contracts';
import { Platform } from '#host';
import { outboxRowId, type TurnId } from '#kernel';
import { currentTrace, inSpan, sendSpan } from '#telemetry';
import { RedisCalls } from '../http/redis-calls.js';

/** In no session's outbox: its receipt alone remembers it. */
const NO_OUTBOX = 0;

/** Turnpike's own words outside of a turn: answers to control commands, pairing codes, refusals. */
@Injectable()
export class ControlReplies {
  constructor(
    private readonly platform: Platform,
    private readonly redis: RedisCalls,
  ) {}

  /**
   * Says something where `envelope` came from, in order with what is said there, without waiting for its session. Durable when
   * this returns; an envelope that comes again is answered once. Throws UnavailableError.
   */
  async reply(envelope: Envelope, text: string): Promise<void> {
    const said = { 'gen_ai.conversation.id': envelope.session, 'turnpike.channel': envelope.target.channel };
    await inSpan(sendSpan('deliveries', said), () =>
      this.redis.within(() => this.platform.relay.relay([{ number: NO_OUTBOX, row: rowOf(envelope, text) }])),
    );
  }
}

/** `at` 0 becomes Redis time where the row is stored. */
function rowOf({ id, tenant, session, target }: Envelope, text: string): OutboxRow {
  const turn = `${id}~c` as TurnId;
  const said = { n: 1, mode: 'notice', fellBack: false, target, text, at: 0, trace: currentTrace() } as const;
  return { v: 1, id: outboxRowId(turn, 1), tenant, session, turn, ...said };
}

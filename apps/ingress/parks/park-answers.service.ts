import { Injectable } from '@nestjs/common';
import { ConfigSource } from '#config';
import type { Envelope, ParkDecision } from '#contracts';
import { Platform } from '#host';
import type { SessionKey } from '#kernel';
import { answerEnvelope, Sessions, type ParkedTurn } from '#sessions';
import { RedisCalls } from '../http/redis-calls.js';
import { mayAnswer } from './may-answer.js';

/** What a person says to a park: yes or no to an approval, a text to a question. */
export type Said =
  { decision: Extract<ParkDecision, 'approved' | 'denied'>; text: string } | { decision: 'answered'; text: string };

export type Answered =
  | { kind: 'taken'; parked: ParkedTurn }
  /** Nothing waits under this code, or not for this person. */
  | { kind: 'none' }
  /** Somebody else, or the clock, was first. */
  | { kind: 'late' }
  /** A text cannot approve, a yes cannot answer. */
  | { kind: 'unfit'; parked: ParkedTurn };

/** The one way of answers to parked turns, whatever brought them; the first one counts (TU-7). */
@Injectable()
export class ParkAnswers {
  constructor(
    private readonly platform: Platform,
    private readonly sessions: Sessions,
    private readonly redis: RedisCalls,
    private readonly config: ConfigSource,
  ) {}

  /** Oldest first. */
  async list(session: SessionKey): Promise<ParkedTurn[]> {
    return this.redis.within(() => this.platform.parks.list(session));
  }

  /** @param by the message that says it. Throws UnavailableError */
  async answer(code: string, said: Said, by: Envelope): Promise<Answered> {
    const parked = await this.redis.within(() => this.platform.parks.find(by.session, code.toUpperCase()));
    if (!parked || !mayAnswer(parked, by)) return { kind: 'none' };
    if ((said.decision === 'answered') !== (parked.kind === 'question')) return { kind: 'unfit', parked };
    const text = said.decision === 'answered' ? chosen(said.text, parked.choices) : said.text;
    return (await this.end(parked, { ...said, text }, by)) ? { kind: 'taken', parked } : { kind: 'late' };
  }

  /** Ends the waits of a session that began by `until` (Redis time, ms), or that of one turn, like a stop. @returns the turns that are to end */
  async cancel(session: SessionKey, until: number, turn?: string): Promise<string[]> {
    const parks = (await this.list(session)).filter((park) => park.at <= until && (turn === undefined || park.turn === turn));
    for (const park of parks) await this.end(park, { decision: 'cancelled', text: '' }, park.envelopes[0]);
    return parks.map((park) => park.turn);
  }

  /** @returns false when the park was ended otherwise before */
  private async end(
    parked: ParkedTurn,
    said: { decision: ParkDecision; text: string },
    { sender, at }: Pick<Envelope, 'sender' | 'at'>,
  ): Promise<boolean> {
    const { idempotencyTtlMs } = this.config.current.lanes;
    const envelope = answerEnvelope(parked, { ...said, sender, at });
    const options = { idempotencyTtlMs, quietMs: 0, flush: true };
    const { duplicate, sameMessage } = await this.redis.within(() => this.sessions.accept(envelope, options));
    return !duplicate || sameMessage;
  }
}

/** A choice may be given by its number. */
function chosen(text: string, choices: readonly string[]): string {
  return (/^\d+$/.test(text) && choices[Number(text) - 1]) || text;
}

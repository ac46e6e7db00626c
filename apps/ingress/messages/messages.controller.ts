import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { turnIdOf } from '#kernel';
import { Sessions } from '#sessions';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { SessionAccess } from '../access/session-access.js';
import { Input } from '../http/read-input.js';
import { RedisCalls } from '../http/redis-calls.js';
import { IdempotencyKey } from '../http/request-headers.js';
import { apiEnvelope } from './api-envelope.js';
import { messageBodySchema, type MessageBody } from './message-body.schema.js';
import { MessageIntake } from './message-intake.js';

const historySchema = z.strictObject({ last: z.coerce.number().int().min(1).max(500).default(50) });

/** Messages into a session, and what was said there (IN-5). */
@Controller('api')
export class MessagesController {
  constructor(
    private readonly access: SessionAccess,
    private readonly intake: MessageIntake,
    private readonly sessions: Sessions,
    private readonly redis: RedisCalls,
  ) {}

  /** Answers when the message is stored; its turn runs later. */
  @Post(['messages', 'sessions/:key/messages'])
  @HttpCode(202)
  async send(
    @FromCaller() caller: Caller,
    @Param('key') named: string | undefined,
    @Body(new Input(messageBodySchema)) body: MessageBody,
    @IdempotencyKey() key: string | undefined,
  ) {
    const envelope = apiEnvelope(caller, this.access.resolve(caller, named), body, key);
    const { id, session } = envelope;
    const done = await this.intake.command(envelope);
    if (done) return { session, ...done };
    const { seq, position, duplicate } = await this.intake.acceptKeyed(envelope);
    return { session, messageId: id, turnId: turnIdOf(id, 0), sequence: seq, position, duplicate };
  }

  @Get('sessions/:key/messages')
  async history(
    @FromCaller() caller: Caller,
    @Param('key') named: string,
    @Query(new Input(historySchema)) { last }: { last: number },
  ) {
    const { key } = this.access.resolve(caller, named);
    const records = await this.redis.within(() => this.sessions.transcript(key, last));
    const messages = records.flatMap(({ turn, at, messages: said }) => said.map((message) => ({ ...message, turn, at })));
    return { session: key, messages: messages.slice(-last) };
  }
}

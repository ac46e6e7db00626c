import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { turnIdOf } from '#kernel';
import { Sessions } from '#sessions';
import type { Caller } from '../access/callers.js';
import { NamedSession } from '../access/named-session.js';
import { FromCaller } from '../access/route-access.js';
import type { SessionPlace } from '../access/session-access.js';
import { commandAnswer, Commands } from '../commands/commands.service.js';
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
    private readonly commands: Commands,
    private readonly intake: MessageIntake,
    private readonly sessions: Sessions,
    private readonly redis: RedisCalls,
  ) {}

  /** Answers when the message is stored; its turn runs later. A control command is obeyed instead, and answered with 200. */
  @Post(['messages', 'sessions/:key/messages'])
  @HttpCode(202)
  async send(
    @FromCaller() caller: Caller,
    @NamedSession() place: SessionPlace,
    @Body(new Input(messageBodySchema)) body: MessageBody,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const envelope = apiEnvelope(caller, place, body, key);
    const { id, session } = envelope;
    const read = await this.commands.read(envelope);
    if (read.kind !== 'message') {
      void reply.status(200);
      return { session, ...commandAnswer(read) };
    }
    const { seq, position, duplicate } = await this.intake.acceptKeyed(read.envelope);
    return { session, messageId: id, turnId: turnIdOf(id, 0), sequence: seq, position, duplicate };
  }

  @Get('sessions/:key/messages')
  async history(@NamedSession() { key }: SessionPlace, @Query(new Input(historySchema)) { last }: { last: number }) {
    const records = await this.redis.within(() => this.sessions.transcript(key, last));
    const messages = records.flatMap(({ turn, at, messages: said }) => said.map((message) => ({ ...message, turn, at })));
    return { session: key, messages: messages.slice(-last) };
  }
}

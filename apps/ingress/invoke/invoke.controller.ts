import { Body, Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Envelope } from '#contracts';
import type { Caller } from '../access/callers.js';
import { NamedSession } from '../access/named-session.js';
import { FromCaller } from '../access/route-access.js';
import type { SessionPlace } from '../access/session-access.js';
import { commandAnswer, Commands } from '../commands/commands.service.js';
import { SseResponse } from '../events/sse-response.js';
import { Problem, unavailable } from '../http/problem.js';
import { Input } from '../http/read-input.js';
import { IdempotencyKey, LastEventId } from '../http/request-headers.js';
import { Stopping } from '../http/stopping.js';
import { apiEnvelope } from '../messages/api-envelope.js';
import { messageBodySchema, type MessageBody } from '../messages/message-body.schema.js';
import { ConnectedInvocation, type Connection } from './connected-invocation.js';
import { invokeQuerySchema, type InvokeQuery } from './invoke-query.schema.js';
import type { TurnAnswer } from './turn-answer.js';

const STOPS =
  'This server stops; the message is stored. Send the same request with the same Idempotency-Key to wait for its answer.';

/** A message and its answer in one request: as JSON when the turn has ended, or as events while it runs (IN-5). */
@Controller('api')
export class InvokeController {
  constructor(
    private readonly commands: Commands,
    private readonly invocation: ConnectedInvocation,
    private readonly stopping: Stopping,
  ) {}

  @Post(['invoke', 'sessions/:key/invoke'])
  @HttpCode(200)
  async invoke(
    @FromCaller() caller: Caller,
    @NamedSession() place: SessionPlace,
    @Body(new Input(messageBodySchema)) body: MessageBody,
    @Query(new Input(invokeQuerySchema)) { onDisconnect }: InvokeQuery,
    @IdempotencyKey() key: string | undefined,
    @LastEventId() lastEventId: string | undefined,
    @Req() { headers }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const read = await this.commands.read(apiEnvelope(caller, place, body, key));
    if (read.kind !== 'message') return void (await reply.send({ session: place.key, ...commandAnswer(read) }));
    const streams = headers.accept?.includes('text/event-stream') ?? false;
    const connection = { reply, keyed: key !== undefined, onDisconnect };
    if (streams) await this.stream(read.envelope, { ...connection, lastEventId });
    else await this.wait(read.envelope, connection);
  }

  private async stream(envelope: Envelope, connection: Connection): Promise<void> {
    const steps = await this.invocation.begin(envelope, connection);
    using response = new SseResponse(connection.reply, this.stopping.signal);
    for await (const step of steps) {
      if ('event' in step) await response.send(step.event.event.type, step.event.event, step.event.id);
      else await response.send('done', step.answer);
    }
  }

  private async wait(envelope: Envelope, connection: Connection): Promise<void> {
    const { reply } = connection;
    for await (const step of await this.invocation.begin(envelope, connection)) {
      if ('answer' in step) await reply.status(statusOf(step.answer)).send(step.answer);
    }
    if (!reply.sent && this.stopping.signal.aborted) throw unavailable(STOPS);
  }
}

/** 202: a person is asked; the same request later finds the answer. @throws Problem 409 for a turn that was cancelled, failed or died */
function statusOf(answer: TurnAnswer): 200 | 202 {
  const { outcome, reason } = answer;
  if (outcome === 'answered' || outcome === 'recorded' || outcome === 'command') return 200;
  if (outcome === 'parked') return 202;
  const detail = `The turn was not answered (${outcome}${reason === undefined ? '' : `: ${reason}`}). Send the message with a new Idempotency-Key to try again.`;
  throw new Problem(409, `turn-${outcome}`, detail, { members: { ...answer } });
}

import { Body, Controller, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { SseResponse } from '../events/sse-response.js';
import { Input } from '../http/read-input.js';
import { IdempotencyKey } from '../http/request-headers.js';
import { Stopping } from '../http/stopping.js';
import { invokeQuerySchema, type InvokeQuery } from '../invoke/invoke-query.schema.js';
import { AgentRequests, type Speech } from './agent-requests.service.js';
import { expectedProblem } from './expected-problem.js';
import { ResponseEvents } from './response-events.js';
import { responsesRequestSchema, type ResponsesRequest } from './responses-request.schema.js';
import { askedIn, type Said } from './said.js';
import { SESSION_HEADER, SessionHeader } from './session-header.js';

/** Responses of agents (IN-9). */
@Controller('v1/responses')
export class ResponsesController {
  constructor(
    private readonly requests: AgentRequests,
    private readonly stopping: Stopping,
  ) {}

  @Post()
  async create(
    @FromCaller() caller: Caller,
    @SessionHeader() session: string | undefined,
    @Body(new Input(responsesRequestSchema)) request: ResponsesRequest,
    @Query(new Input(invokeQuerySchema)) { onDisconnect }: InvokeQuery,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { model, input, instructions, user, previous_response_id: previousResponse } = request;
    const first: Said[] = instructions ? [{ role: 'system', content: [{ text: instructions }] }] : [];
    const asked = askedIn([...first, ...input], 'input');
    const named = { model, asked, session: session ?? user, previousResponse, idempotencyKey };
    const addressed = await this.requests.address(caller, named);
    const speech = await this.requests.begin(addressed, { reply, keyed: idempotencyKey !== undefined, onDisconnect });
    const events = new ResponseEvents(addressed.envelope, request);
    void reply.header(SESSION_HEADER, addressed.envelope.session);
    if (request.stream) return this.stream(speech, events, reply);
    for await (const said of speech)
      if ('answer' in said) await reply.status(200).send(events.whole(said.answer.text, said.answer.usage));
  }

  private async stream(speech: AsyncIterable<Speech>, events: ResponseEvents, reply: FastifyReply): Promise<void> {
    using response = new SseResponse(reply, this.stopping.signal);
    const send = async (all: { type: string }[]): Promise<void> => {
      for (const event of all) await response.send(event.type, event);
    };
    await send(events.begin());
    try {
      for await (const said of speech) {
        if ('answer' in said) await send(events.end(said.answer.text, said.answer.usage));
        else if (said.words) await send([events.words(said.words)]);
      }
    } catch (error) {
      await send([events.failed(expectedProblem(error))]);
    }
  }
}

import { Body, Controller, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { SseResponse } from '../events/sse-response.js';
import { openAiError } from '../http/openai-error.js';
import { Input } from '../http/read-input.js';
import { IdempotencyKey } from '../http/request-headers.js';
import { Stopping } from '../http/stopping.js';
import { invokeQuerySchema, type InvokeQuery } from '../invoke/invoke-query.schema.js';
import { AgentRequests, type Speech } from './agent-requests.service.js';
import { ChatCompletion } from './chat-completion.js';
import { chatRequestSchema, type ChatRequest } from './chat-request.schema.js';
import { expectedProblem } from './expected-problem.js';
import { askedIn } from './said.js';
import { SESSION_HEADER, SessionHeader } from './session-header.js';

/** Chat completions of agents (IN-9). */
@Controller('v1/chat/completions')
export class ChatController {
  constructor(
    private readonly requests: AgentRequests,
    private readonly stopping: Stopping,
  ) {}

  @Post()
  async complete(
    @FromCaller() caller: Caller,
    @SessionHeader() session: string | undefined,
    @Body(new Input(chatRequestSchema)) request: ChatRequest,
    @Query(new Input(invokeQuerySchema)) { onDisconnect }: InvokeQuery,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { model, messages, user, stream, stream_options: options } = request;
    const asked = askedIn(messages, 'messages');
    const addressed = await this.requests.address(caller, { model, asked, session: session ?? user, idempotencyKey });
    const speech = await this.requests.begin(addressed, { reply, keyed: idempotencyKey !== undefined, onDisconnect });
    const completion = new ChatCompletion(addressed.envelope, model);
    void reply.header(SESSION_HEADER, addressed.envelope.session);
    if (stream) return this.stream(speech, completion, reply, options?.include_usage ?? false);
    for await (const said of speech)
      if ('answer' in said) await reply.status(200).send(completion.whole(said.answer.text, said.answer.usage));
  }

  private async stream(
    speech: AsyncIterable<Speech>,
    completion: ChatCompletion,
    reply: FastifyReply,
    withUsage: boolean,
  ): Promise<void> {
    using response = new SseResponse(reply, this.stopping.signal);
    const send = (chunk: object) => response.sendText(JSON.stringify(chunk));
    await send(completion.chunk({ role: 'assistant', content: '' }));
    try {
      for await (const said of speech) {
        if ('words' in said) {
          if (said.words) await send(completion.chunk({ content: said.words }));
          continue;
        }
        await send(completion.chunk({}, 'stop'));
        if (withUsage) await send(completion.usageChunk(said.answer.usage));
        await response.sendText('[DONE]');
      }
    } catch (error) {
      await send({ error: openAiError(expectedProblem(error)) });
    }
  }
}

import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { INVOKE, type Envelope, type Invocation as ToolCall, type TurnRecord } from '#contracts';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { SessionAccess } from '../access/session-access.js';
import { Problem, unavailable } from '../http/problem.js';
import { Input } from '../http/read-input.js';
import { IdempotencyKey } from '../http/request-headers.js';
import { Stopping } from '../http/stopping.js';
import { ConnectedInvocation } from '../invoke/connected-invocation.js';
import { Invocation } from '../invoke/invocation.js';
import { apiEnvelope } from '../messages/api-envelope.js';
import { invokeBodySchema, type InvokeBody } from './invoke-body.schema.js';

/** What a call that ran came to. */
type InvokeAnswer = { ok: true; result: { text: string } } | { ok: false; error: { type: string; message: string } };

/** A tool without a model (TO-6): a runner calls it in its place in a session, as a turn of its own. */
@Controller()
export class InvokeToolController {
  constructor(
    private readonly access: SessionAccess,
    private readonly connected: ConnectedInvocation,
    private readonly invocation: Invocation,
    private readonly stopping: Stopping,
  ) {}

  /** @throws Problem 400, 403 foreign session, 404 no such tool for this caller, 409 in flight, 422 arguments or a key with another body, 504 */
  @Post(['api/tools/invoke', 'tools/invoke'])
  @HttpCode(200)
  async invoke(
    @FromCaller() caller: Caller,
    @Body(new Input(invokeBodySchema)) { tool, args, sessionKey, idempotencyKey }: InvokeBody,
    @IdempotencyKey() header: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = header ?? idempotencyKey;
    const envelope = invocationEnvelope(apiEnvelope(caller, this.access.resolve(caller, sessionKey), EMPTY, key), { tool, args });
    const steps = await this.connected.begin(envelope, { reply, keyed: key !== undefined, onDisconnect: 'continue' });
    for await (const step of steps) {
      if (!('answer' in step)) continue;
      const record = await this.invocation.recordOf(envelope);
      if (!record)
        throw new Problem(504, 'still-running', 'The call still waits or runs: ask again with the same Idempotency-Key.');
      const { session } = envelope;
      await reply.send({ ...answerOf(record), tool, session, turnId: record.turn });
    }
    if (!reply.sent && this.stopping.signal.aborted) throw unavailable(STOPS);
  }
}

const STOPS =
  'This server stops; the call is stored. Send the same request with the same Idempotency-Key to wait for its result.';
const EMPTY = { message: '', attachments: [] };

/** Its text tells two bodies under one key apart. */
function invocationEnvelope(envelope: Envelope, call: ToolCall): Envelope {
  const args = JSON.stringify(call);
  return { ...envelope, kind: 'command', command: { name: INVOKE, args }, text: args };
}

function answerOf({ outcome, reason, messages }: TurnRecord): InvokeAnswer {
  const said = messages.findLast(({ role }) => role === 'assistant')?.text ?? '';
  if (reason === 'unknown_tool') throw new Problem(404, 'no-such-tool', said);
  if (reason === 'invalid_arguments') throw new Problem(422, 'invalid-arguments', said);
  if (reason === 'needs_a_person') return { ok: false, error: { type: reason, message: said } };
  const result = messages.findLast((message) => message.role === 'tool');
  if (outcome !== 'command' || !result)
    return { ok: false, error: { type: reason ?? outcome, message: `The call ended as ${outcome}, without a result.` } };
  return result.isError
    ? { ok: false, error: { type: 'tool_error', message: result.text } }
    : { ok: true, result: { text: result.text } };
}

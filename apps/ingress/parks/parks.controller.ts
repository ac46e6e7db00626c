import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import type { ParkedTurn } from '#sessions';
import type { Caller } from '../access/callers.js';
import { NamedSession } from '../access/named-session.js';
import { FromCaller } from '../access/route-access.js';
import type { SessionPlace } from '../access/session-access.js';
import { Problem } from '../http/problem.js';
import { Input } from '../http/read-input.js';
import { apiEnvelope } from '../messages/api-envelope.js';
import { ParkAnswers, type Said } from './park-answers.service.js';

const MAX_TEXT = 10_000;
const answerSchema = z.union(
  [
    z.strictObject({ decision: z.enum(['approve', 'deny']), reason: z.string().max(MAX_TEXT).default('') }),
    z.strictObject({ answer: z.string().trim().min(1).max(MAX_TEXT) }),
  ],
  {
    error:
      'send {"decision": "approve"} or {"decision": "deny", "reason": "..."} to an approval, {"answer": "..."} to a question',
  },
);

/** What a session waits for a person to say (TU-7). */
@Controller('api/sessions/:key/parks')
export class ParksController {
  constructor(private readonly answers: ParkAnswers) {}

  @Get()
  async list(@NamedSession() { key }: SessionPlace) {
    return { session: key, parks: (await this.answers.list(key)).map(shown) };
  }

  /** The same answer of the same caller may be sent again. */
  @Post(':code')
  @HttpCode(202)
  async answer(
    @FromCaller() caller: Caller,
    @NamedSession() place: SessionPlace,
    @Param('code') code: string,
    @Body(new Input(answerSchema)) body: z.output<typeof answerSchema>,
  ) {
    const answered = await this.answers.answer(code, saidIn(body), apiEnvelope(caller, place, { message: '', attachments: [] }));
    switch (answered.kind) {
      case 'taken':
        return { session: place.key, code: answered.parked.code, turnId: answered.parked.turn };
      case 'none':
        throw new Problem(404, 'no-park', 'Nothing waits under this code: it was answered, ran out of time, or never was.');
      case 'late':
        throw new Problem(409, 'already-answered', 'Another answer, a timeout or a cancel was first.');
      case 'unfit':
        throw new Problem(422, 'unfit-answer', `This is ${article(answered.parked)}: ${wanted(answered.parked)}.`);
    }
  }
}

function saidIn(body: z.output<typeof answerSchema>): Said {
  if ('answer' in body) return { decision: 'answered', text: body.answer };
  return { decision: body.decision === 'approve' ? 'approved' : 'denied', text: body.reason };
}

function shown({ code, kind, title, choices, tool, arguments: given, turn, at, timeoutMs }: ParkedTurn) {
  return { code, kind, title, choices, tool, arguments: given, turnId: turn, askedAt: at, expiresAt: at + timeoutMs };
}

function article({ kind }: ParkedTurn): string {
  return kind === 'approval' ? 'an approval' : 'a question';
}

function wanted({ kind }: ParkedTurn): string {
  return kind === 'approval' ? 'send a decision' : 'send an answer';
}

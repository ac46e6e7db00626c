import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Envelope } from '#contracts';
import { turnIdOf } from '#kernel';
import { Stopping } from '../http/stopping.js';
import { MessageIntake } from '../messages/message-intake.js';
import { Invocation, type InvocationStep } from './invocation.js';
import type { InvokeQuery } from './invoke-query.schema.js';

export interface Connection {
  reply: FastifyReply;
  /** The caller chose the message's idempotency key. */
  keyed: boolean;
  lastEventId?: string | undefined;
  onDisconnect: InvokeQuery['onDisconnect'];
}

/** An invocation as long as its client is there. */
@Injectable()
export class ConnectedInvocation {
  constructor(
    private readonly invocation: Invocation,
    private readonly intake: MessageIntake,
    private readonly stopping: Stopping,
  ) {}

  /** Stores the message. The steps end without an answer when the client has gone or the server stops. @throws as Invocation.begin does */
  async begin(envelope: Envelope, connection: Connection): Promise<AsyncGenerator<InvocationStep, void, void>> {
    const { reply, keyed, lastEventId, onDisconnect } = connection;
    const signal = AbortSignal.any([goneSignal(reply), this.stopping.signal]);
    const steps = await this.invocation.begin(envelope, { keyed, lastEventId, connection: signal });
    return onDisconnect === 'continue' ? steps : this.cancelled(steps, envelope);
  }

  private async *cancelled(
    steps: AsyncGenerator<InvocationStep, void, void>,
    { session, id }: Envelope,
  ): AsyncGenerator<InvocationStep, void, void> {
    let isAnswered = false;
    for await (const step of steps) {
      isAnswered = 'answer' in step;
      yield step;
    }
    // Unanswered because this server stops: the client comes back to another.
    if (isAnswered || this.stopping.signal.aborted) return;
    await this.intake.cancel(session, { what: 'turn', turn: turnIdOf(id, 0) });
  }
}

/** Fires when the client hung up (also when all is answered: nobody minds then). */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

import type { MessageAbilities, SendRequest, SendState, TurnSends } from './turn-port.js';

/**
 * The sends of one tool call. A tool that was abandoned can send nothing any more. A send that rejects may have been
 * stored all the same: `failure` ends the attempt, because a model that is told of an error would send again (B030).
 */
export class GuardedSends implements TurnSends {
  failure: { error: unknown } | undefined;

  constructor(
    private readonly sends: TurnSends,
    private readonly signal: AbortSignal,
  ) {}

  get canSendNow(): boolean {
    return this.sends.canSendNow;
  }

  get abilities(): MessageAbilities {
    return this.sends.abilities;
  }

  findMessage(whose: 'own' | 'seen', id?: string): Promise<string | undefined> {
    return this.sends.findMessage(whose, id);
  }

  now(request: SendRequest): Promise<SendState> {
    return this.#guard(() => this.sends.now(request));
  }

  atEnd(request: SendRequest): Promise<{ sequenceInTurn: number; queuedAt: number }> {
    return this.#guard(() => this.sends.atEnd(request));
  }

  async #guard<T>(send: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
  }
}

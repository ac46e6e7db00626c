import type { MessageAbilities, SendRequest, SendState, TurnSends } from '../turn-port.js';
import { idsOf, type RunningTurn } from '../running-turn.js';

/** A message_sending hook refused a text: nothing was stored. */
export class SendRefused extends Error {
  override name = 'SendRefused';
  constructor(reason: string) {
    super(`the text was not sent: ${reason}`);
  }
}

/** Asks message_sending about each send. One that is stored already was asked about, and leaves as it was decided then. */
export class HookedSends implements TurnSends {
  constructor(
    private readonly turn: RunningTurn,
    private readonly sends: TurnSends,
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

  /** Throws SendRefused. */
  async now(request: SendRequest): Promise<SendState> {
    return this.sends.now(await this.#asked(request));
  }

  /** Throws SendRefused. */
  async atEnd(request: SendRequest): Promise<{ sequenceInTurn: number; queuedAt: number }> {
    return this.sends.atEnd(await this.#asked(request));
  }

  async #asked(request: SendRequest): Promise<SendRequest> {
    const { hooks, journal, signal } = this.turn;
    if (journal.wasSent(request.key)) return request;
    const { mode, text, action } = request;
    const verdict = await hooks.gate(
      'message_sending',
      { ...idsOf(this.turn), mode, text, ...(action && { action: action.do }) },
      signal,
    );
    if (verdict.kind === 'refused') throw new SendRefused(verdict.reason);
    return { ...request, text: verdict.payload.text };
  }
}

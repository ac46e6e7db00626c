import type { TurnEvent } from '#contracts';

/**
 * Drops what a superseded attempt of a turn still wrote (protocol 5). Show it every event of a session, in order.
 * A fence is `<activation id>.<attempt>.<nonce>`; the numbers decide.
 */
export class FenceFilter {
  /** Of turns that run: highest activation id and attempt. */
  private readonly highest = new Map<string, readonly [number, number]>();

  accepts(event: TurnEvent): boolean {
    if (event.type === 'turn.end') this.highest.delete(event.turn);
    if (!('fence' in event)) return true;
    const fence = numbersOf(event.fence);
    const known = this.highest.get(event.turn);
    if (known && isBelow(fence, known)) return false;
    this.highest.set(event.turn, fence);
    return true;
  }
}

function numbersOf(fence: string): readonly [number, number] {
  const [activation, attempt] = fence.split('.');
  return [Number(activation), Number(attempt)];
}

function isBelow(
  [activation, attempt]: readonly [number, number],
  [knownActivation, knownAttempt]: readonly [number, number],
): boolean {
  return activation === knownActivation ? attempt < knownAttempt : activation < knownActivation;
}

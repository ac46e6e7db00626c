import type { ModelEvent } from '#agent';
import { TerminalError, TransientError } from '#kernel';
import { AnswerWatchdog } from './answer-watchdog.js';
import { limitsSaid } from './rate-limit-headers.js';

export interface Opened<Piece> {
  pieces: AsyncIterable<Piece>;
  /** Of the answer; undefined where the SDK hides them. */
  headers: Headers | undefined;
}

/** What one provider's SDK does; everything else is the same for all of them. */
export interface Wire<Piece> {
  provider: string;
  /** ms without a piece of the answer before it counts as hung. */
  idleMs: number;
  /** ms for the whole answer; undefined: no limit. */
  totalMs: number | undefined;
  /** Sends the request. Rejects when it is refused, or when the signal fires. */
  open(signal: AbortSignal): Promise<Opened<Piece>>;
  /** Ends without a `stop` event when the answer was cut, whatever the SDK thinks of that. */
  read(pieces: AsyncIterable<Piece>): AsyncIterable<ModelEvent>;
  /** What an error of the SDK means for the turn. */
  failureOf(error: unknown): Error;
}

/** One answer over one wire, as ModelProvider.stream promises it: watched for time, whole or an error, stopped by `signal` (MO-2). */
export async function* streamWire<Piece>(wire: Wire<Piece>, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted();
  using watchdog = new AnswerWatchdog(wire.provider, wire.idleMs, wire.totalMs);
  let stopped = false;
  try {
    const { pieces, headers } = await wire.open(AbortSignal.any([signal, watchdog.signal]));
    const limits = headers && limitsSaid(headers);
    if (limits) yield { type: 'limits', ...limits };
    for await (const event of wire.read(watchdog.hearing(pieces))) {
      if (stopped) continue;
      stopped = event.type === 'stop';
      if (stopped) watchdog.whole();
      yield event;
    }
  } catch (error) {
    signal.throwIfAborted();
    // Read to its end only so that the connection can serve the next request: the answer is whole already.
    if (stopped) return;
    watchdog.signal.throwIfAborted();
    throw error instanceof TransientError || error instanceof TerminalError ? error : wire.failureOf(error);
  }
  signal.throwIfAborted();
  if (stopped) return;
  watchdog.signal.throwIfAborted();
  // SDKs end an aborted or cut stream without a word: only a reason to stop makes an answer whole (TU-8).
  throw new TransientError('stream_truncated', `${wire.provider} ended its answer in the middle`);
}

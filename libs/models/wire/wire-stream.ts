import type { ModelEvent } from '#agent';
import { TerminalError, TransientError } from '#kernel';
import { IdleWatchdog } from './idle-watchdog.js';
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
  /** Sends the request. Rejects when it is refused, or when the signal fires. */
  open(signal: AbortSignal): Promise<Opened<Piece>>;
  /** Ends without a `stop` event when the answer was cut, whatever the SDK thinks of that. */
  read(pieces: AsyncIterable<Piece>): AsyncIterable<ModelEvent>;
  /** What an error of the SDK means for the turn. */
  failureOf(error: unknown): Error;
}

/** One answer over one wire, as ModelProvider.stream promises it: watched for silence, whole or an error, stopped by `signal` (MO-2). */
export async function* streamWire<Piece>(wire: Wire<Piece>, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted();
  using watchdog = new IdleWatchdog(wire.idleMs);
  let stopped = false;
  try {
    const { pieces, headers } = await wire.open(AbortSignal.any([signal, watchdog.signal]));
    const limits = headers && limitsSaid(headers);
    if (limits) yield { type: 'limits', ...limits };
    for await (const event of wire.read(watchdog.hearing(pieces))) {
      stopped ||= event.type === 'stop';
      yield event;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (watchdog.signal.aborted) throw silent(wire);
    throw error instanceof TransientError || error instanceof TerminalError ? error : wire.failureOf(error);
  }
  signal.throwIfAborted();
  if (watchdog.signal.aborted) throw silent(wire);
  // SDKs end an aborted or cut stream without a word: only a reason to stop makes an answer whole (TU-8).
  if (!stopped) throw new TransientError('stream_truncated', `${wire.provider} ended its answer in the middle`);
}

function silent({ provider, idleMs }: Wire<unknown>): TransientError {
  return new TransientError('timeout', `${provider} sent nothing for ${idleMs / 1000} s`);
}

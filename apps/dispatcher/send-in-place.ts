import type { Chunk, OutboundChannel, SendContext, SendOutcome } from '#channels';
import { systemClock } from '#kernel';

/** The first chunk of a row takes the place of a preview, while that is there. Until it is sent as new, trying again changes nothing. */
export async function sendInPlace(
  channel: OutboundChannel,
  chunk: Chunk,
  context: SendContext,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { row, timeoutMs } = context;
  const { preview } = channel;
  if (row.replaces === undefined || !preview?.replace) return channel.send(row.target, chunk, context, signal);
  const began = systemClock.monotonic();
  const outcome = await preview.replace(row.target, row.replaces, chunk, context, signal);
  if (outcome.kind === 'unknown') return { kind: 'retry', reason: outcome.reason };
  if (outcome.kind !== 'refused') return outcome;
  const leftMs = Math.max(1, Math.floor(timeoutMs - (systemClock.monotonic() - began)));
  return channel.send(row.target, chunk, { ...context, timeoutMs: leftMs }, signal);
}

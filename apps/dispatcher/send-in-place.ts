import type { Chunk, OutboundChannel, SendContext, SendOutcome } from '#channels';
import { systemClock } from '#kernel';

/**
 * The first chunk of a row takes the place of a preview. Where it can't (a file takes no place of a text, somebody deleted the
 * message), what is left of the preview is deleted and the chunk sent as new: until then, trying again changes nothing.
 */
export async function sendInPlace(
  channel: OutboundChannel,
  chunk: Chunk,
  context: SendContext,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { row } = context;
  const { target, replaces } = row;
  const { preview } = channel;
  if (replaces === undefined || !preview?.replace) return channel.send(target, chunk, context, signal);
  const end = systemClock.monotonic() + context.timeoutMs;
  const left = (): SendContext => ({ ...context, timeoutMs: Math.max(1, Math.floor(end - systemClock.monotonic())) });
  const replaced = await preview.replace(target, replaces, chunk, context, signal);
  if (replaced.kind === 'unknown') return { kind: 'retry', reason: replaced.reason };
  if (replaced.kind !== 'refused') return replaced;
  const [removal] = channel.render({ ...row, text: '', action: { do: 'delete', message: replaces } });
  const removed = removal && (await channel.send(target, removal, left(), signal));
  return removed?.kind === 'retry' ? removed : channel.send(target, chunk, left(), signal);
}

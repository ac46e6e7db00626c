import { channelQueue, tenantConfig, type Config } from '#config';
import type { Envelope } from '#contracts';
import type { AcceptOptions } from '#sessions';

/** Parts of an album come as messages of their own, moments apart, also where texts are not waited for. */
const ALBUM_MS = 500;

/** How a message queues (QU-2). */
export function queueing(envelope: Envelope, config: Config): Required<AcceptOptions> {
  const { session } = tenantConfig(config, envelope.tenant) ?? config;
  const { mode, debounceMs, hardCap } = channelQueue(session.queue, envelope.target.channel);
  const quietMs = isAlbum(envelope) ? Math.max(debounceMs, ALBUM_MS) : debounceMs;
  const flush = quietMs === 0 || envelope.kind === 'command' || isWhole(envelope);
  return {
    idempotencyTtlMs: config.lanes.idempotencyTtlMs,
    quietMs: flush ? 0 : quietMs,
    flush,
    mode,
    hardCap,
  };
}

/** A picture without a word is waited for like a text: its words, or the next picture, follow (B055). A voice note says it all. */
function isWhole(envelope: Envelope): boolean {
  const { text, media } = envelope;
  return !isAlbum(envelope) && media.some(({ type }) => type === 'audio' || text !== '');
}

function isAlbum({ platform }: Envelope): boolean {
  return platform.album !== undefined;
}

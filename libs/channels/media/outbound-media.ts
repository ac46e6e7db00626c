import type { OutboundMedia } from '#contracts';
import { describeError, TransientError } from '#kernel';
import type { Downloaded, DownloadLimits, SendOutcome } from '../channel-port.js';
import type { MediaFetch } from './media-fetch.js';

/** A file that goes out, as the platform will show it. */
export interface OutboundFile {
  bytes: Uint8Array<ArrayBuffer>;
  mime: string;
  name: string;
}

export type Fetched =
  { ok: true; file: OutboundFile } | { ok: false; outcome: Extract<SendOutcome, { kind: 'retry' | 'refused' }> };

/** For platforms that take no address: the bytes behind it. Whatever goes wrong here, nothing was sent yet. */
export async function fetchOutbound(
  { url, mime, name, type }: OutboundMedia,
  fetcher: MediaFetch,
  limits: DownloadLimits,
  signal: AbortSignal,
): Promise<Fetched> {
  try {
    const found: Downloaded = await fetcher.fetch({ url }, limits, signal);
    const file = { bytes: new Uint8Array(found.bytes), mime: mime ?? found.mime ?? 'application/octet-stream' };
    return { ok: true, file: { ...file, name: name ?? found.name ?? type } };
  } catch (error) {
    if (signal.aborted) return { ok: false, outcome: { kind: 'retry', reason: 'stopped; nothing was sent' } };
    const kind = error instanceof TransientError ? 'retry' : 'refused';
    return { ok: false, outcome: { kind, reason: describeError(error) } };
  }
}

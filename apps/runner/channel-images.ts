import { MediaFetch, type ChannelRegistry } from '#channels';
import type { ImageReference } from '#contracts';
import { TerminalError } from '#kernel';
import type { ImageSource } from '#models';

/** The images people sent, from where each channel keeps them; what came by the API, from the address the caller named. */
export class ChannelImages implements ImageSource {
  constructor(
    private readonly channels: ChannelRegistry,
    private readonly media = new MediaFetch(),
  ) {}

  /** See OutboundChannel.download. */
  async load(
    { channel, account, ...image }: ImageReference,
    limits: { maxBytes: number; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<Buffer> {
    if (/^data:/i.test(image.ref)) return inline(image.ref, limits.maxBytes);
    const outbound = this.channels.find(channel, account)?.outbound;
    const { bytes } = outbound?.download
      ? await outbound.download({ type: 'image', ...image }, limits, signal)
      : await this.media.fetch({ url: image.ref }, limits, signal);
    return bytes;
  }
}

/** RFC 2397; of an earlier turn only `data:` is left. */
function inline(url: string, maxBytes: number): Buffer {
  const comma = url.indexOf(',');
  if (comma < 0) throw new TerminalError('media_refused', 'The image came with its message and was not kept');
  const isBase64 = /;base64$/i.test(url.slice(0, comma));
  const bytes = isBase64
    ? Buffer.from(url.slice(comma + 1), 'base64')
    : Buffer.from(decodeURIComponent(url.slice(comma + 1)), 'latin1');
  if (bytes.length > maxBytes)
    throw new TerminalError('media_refused', `The image in the message has more than ${maxBytes} bytes`);
  return bytes;
}

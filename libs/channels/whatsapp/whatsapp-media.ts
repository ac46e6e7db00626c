import { z } from 'zod';
import { TerminalError, type Clock } from '#kernel';
import type { Downloaded, DownloadLimits } from '../channel-port.js';
import type { MediaFetch } from '../media/media-fetch.js';

/** "The URL is only valid for 5 minutes": asked for each time. The size comes as a number or as its digits. */
const whereaboutsSchema = z.object({ url: z.url(), mime_type: z.string().optional(), file_size: z.coerce.number().optional() });
const MAX_ANSWER_BYTES = 16 * 1024;

interface WhatsAppMediaOptions {
  graphUrl: string;
  phoneNumberId: string;
  accessToken: string;
  media: MediaFetch;
  clock: Clock;
}

/** Files that people sent, by the media id of their message. */
export class WhatsAppMedia {
  constructor(private readonly options: WhatsAppMediaOptions) {}

  /** First where it is, then the file; both with the token. @throws TerminalError `media_refused`; TransientError `media_unavailable` */
  async download(id: string, { maxBytes, timeoutMs }: DownloadLimits, signal: AbortSignal): Promise<Downloaded> {
    const { graphUrl, phoneNumberId, accessToken, media, clock } = this.options;
    if (!/^\d+$/.test(id)) throw new TerminalError('media_refused', 'This is no media id of WhatsApp');
    const deadline = clock.monotonic() + timeoutMs;
    // Meta's file server turns nameless clients away.
    const headers = { authorization: `Bearer ${accessToken}`, 'user-agent': 'turnpike' };
    const asked = { url: `${graphUrl}/${id}?phone_number_id=${phoneNumberId}`, headers };
    const { url, mime_type: mime, file_size: size = 0 } = await this.whereabouts(asked, timeoutMs, signal);
    if (size > maxBytes) throw new TerminalError('media_refused', `The file has ${size} bytes, more than ${maxBytes}`);
    const left = Math.max(1, Math.floor(deadline - clock.monotonic()));
    const { bytes, ...found } = await media.fetch({ url, headers }, { maxBytes, timeoutMs: left }, signal);
    return { bytes, ...((mime ?? found.mime) && { mime: mime ?? found.mime }) };
  }

  private async whereabouts(asked: Parameters<MediaFetch['fetch']>[0], timeoutMs: number, signal: AbortSignal) {
    const { bytes } = await this.options.media.fetch(asked, { maxBytes: MAX_ANSWER_BYTES, timeoutMs }, signal);
    try {
      return whereaboutsSchema.parse(JSON.parse(bytes.toString('utf8')));
    } catch (error) {
      throw new TerminalError('media_refused', 'WhatsApp does not say where the file is', { cause: error });
    }
  }
}

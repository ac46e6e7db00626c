import { z } from 'zod';
import type { Media, OutboundMedia } from '#contracts';
import { TerminalError, TransientError, type Clock } from '#kernel';
import type { Downloaded, DownloadLimits, SendOutcome } from '../channel-port.js';
import { post } from '../delivery-outcome.js';
import type { MediaFetch } from '../media/media-fetch.js';
import { fetchOutbound, type OutboundFile } from '../media/outbound-media.js';
import { TimeBudget } from '../time-budget.js';
import type { SlackApi } from './slack-api.js';

/** What is uploaded at most: it is held in memory once. */
const MAX_UPLOAD_BYTES = 20 * 1024 * 1024;

const reservedSchema = z.object({ ok: z.literal(true), upload_url: z.url(), file_id: z.string() });
const sharedSchema = z.object({ ok: z.literal(true) });
const infoSchema = z.object({
  ok: z.literal(true),
  file: z.object({
    url_private_download: z.url().optional(),
    url_private: z.url().optional(),
    name: z.string().nullish(),
    mimetype: z.string().nullish(),
  }),
});

interface SlackFilesOptions {
  api: SlackApi;
  fetcher: MediaFetch;
  botToken: string;
  apiRoot: string;
  clock: Clock;
}

/** Where a file is shown. */
export interface SlackPlace {
  channel_id: string;
  thread_ts?: string;
  initial_comment?: string;
}

/** Files in both directions: https://docs.slack.dev/messaging/working-with-files. */
export class SlackFiles {
  constructor(private readonly options: SlackFilesOptions) {}

  /** Nothing is seen before the last of the three calls, so only that one can leave an unknown outcome. */
  async upload(media: OutboundMedia, place: SlackPlace, budget: TimeBudget, signal: AbortSignal): Promise<SendOutcome> {
    const { api, fetcher } = this.options;
    const fetched = await fetchOutbound(media, fetcher, { maxBytes: MAX_UPLOAD_BYTES, timeoutMs: budget.left() }, signal);
    if (!fetched.ok) return fetched.outcome;
    const { file } = fetched;
    const reserve = {
      method: 'files.getUploadURLExternal',
      args: new URLSearchParams({ filename: file.name, length: String(file.bytes.length) }),
      answer: reservedSchema,
    };
    const reserved = await api.call(reserve, budget, signal);
    if (!reserved.ok) return unseen(reserved.outcome);
    const { upload_url, file_id } = reserved.value;
    const failure = await put(file, new URL(upload_url), budget, signal);
    if (failure) return failure;
    const args = { files: [{ id: file_id, title: file.name }], ...place };
    const shared = await api.call({ method: 'files.completeUploadExternal', args, answer: sharedSchema }, budget, signal);
    return shared.ok ? { kind: 'sent', platformId: file_id } : shared.outcome;
  }

  /** Throws like OutboundChannel.download. */
  async download({ ref }: Media, { maxBytes, timeoutMs }: DownloadLimits, signal: AbortSignal): Promise<Downloaded> {
    const { api, fetcher, botToken, clock } = this.options;
    const budget = new TimeBudget(timeoutMs, clock);
    const asked = { method: 'files.info', args: new URLSearchParams({ file: ref }), answer: infoSchema };
    const info = await api.call(asked, budget, signal);
    if (!info.ok) {
      const message = `Slack does not give file ${ref}: ${info.outcome.reason}`;
      if (info.outcome.kind === 'refused') throw new TerminalError('media_refused', message);
      throw new TransientError('media_unavailable', message);
    }
    const { url_private_download, url_private, name, mimetype } = info.value.file;
    const url = url_private_download ?? url_private;
    if (url === undefined) throw new TerminalError('media_refused', `Slack keeps no copy of file ${ref}`);
    const source = this.isSlacks(url) ? { url, headers: { authorization: `Bearer ${botToken}` } } : { url };
    const found = await fetcher.fetch(source, { maxBytes, timeoutMs: budget.left() }, signal);
    return { ...found, ...(mimetype && { mime: mimetype }), ...(name && { name }) };
  }

  /** A file may be kept elsewhere, and the token is for Slack's own hosts alone. */
  private isSlacks(url: string): boolean {
    const { protocol, hostname, origin } = new URL(url);
    return (protocol === 'https:' && /(?:^|\.)slack\.com$/.test(hostname)) || origin === new URL(this.options.apiRoot).origin;
  }
}

/** undefined: it is there. */
async function put(
  { bytes, mime }: OutboundFile,
  url: URL,
  budget: TimeBudget,
  signal: AbortSignal,
): Promise<SendOutcome | undefined> {
  const answer = await post({ url, headers: { 'content-type': mime }, body: bytes }, { timeoutMs: budget.left() }, signal);
  if (answer.kind !== 'answer') return unseen(answer);
  if (answer.status === 200) return undefined;
  const reason = `${answer.status} to the upload of a file`;
  return { kind: answer.status >= 500 || answer.status === 429 ? 'retry' : 'refused', reason };
}

function unseen(outcome: Exclude<SendOutcome, { kind: 'sent' }>): SendOutcome {
  return outcome.kind === 'unknown' ? { kind: 'retry', reason: `${outcome.reason}; nothing was shown yet` } : outcome;
}

import { z } from 'zod';
import type { Media, OutboundMedia } from '#contracts';
import { TerminalError, TransientError, type Clock } from '#kernel';
import type { Downloaded, DownloadLimits, SendOutcome } from '../channel-port.js';
import type { MediaFetch } from '../media/media-fetch.js';
import type { FeishuApi } from './feishu-api.js';

/** "Images up to 10 MB", "files up to 30 MB". */
const MOST_BYTES = { image: 10 * 1024 * 1024, file: 30 * 1024 * 1024 };
const imageSchema = z.object({ image_key: z.string() });
const fileSchema = z.object({ file_key: z.string() });

/** What the file is to Feishu, by its ending; everything else is a `stream`. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  opus: 'opus',
  mp4: 'mp4',
  pdf: 'pdf',
  doc: 'doc',
  docx: 'doc',
  xls: 'xls',
  xlsx: 'xls',
  ppt: 'ppt',
  pptx: 'ppt',
};

export type Uploaded = { type: string; content: Record<string, unknown> } | { outcome: Exclude<SendOutcome, { kind: 'sent' }> };

/** Files of messages, both ways. Feishu takes no addresses: what goes out is fetched and uploaded first. */
export class FeishuFiles {
  constructor(
    private readonly api: FeishuApi,
    private readonly media: MediaFetch,
    private readonly clock: Clock,
  ) {}

  /** Fetch and upload within the budget. Whatever fails, nothing was sent to a chat. */
  async upload(file: OutboundMedia, timeoutMs: number, signal: AbortSignal): Promise<Uploaded> {
    const deadline = this.clock.monotonic() + timeoutMs;
    const isImage = file.type === 'image';
    try {
      const limits = { maxBytes: isImage ? MOST_BYTES.image : MOST_BYTES.file, timeoutMs };
      const fetched = await this.media.fetch({ url: file.url }, limits, signal);
      const left = { timeoutMs: Math.max(1, Math.floor(deadline - this.clock.monotonic())) };
      const name = file.name ?? fetched.name ?? 'file';
      const bytes = new Blob([new Uint8Array(fetched.bytes)], { type: file.mime ?? fetched.mime ?? '' });
      const call = isImage ? imageCall(bytes, name) : fileCall(bytes, name);
      const answer = await this.api.call(call.request, left, signal);
      if (answer.kind === 'error') return { outcome: notUploaded(answer.outcome) };
      return { type: call.type, content: (isImage ? imageSchema : fileSchema).parse(answer.data) };
    } catch (error) {
      return { outcome: failureOf(error, signal) };
    }
  }

  /** @throws TerminalError `media_refused`; TransientError `media_unavailable` */
  async download({ ref, type }: Media, limits: DownloadLimits, signal: AbortSignal): Promise<Downloaded> {
    const [message, key] = ref.split('/');
    if (!message || !key) throw new TerminalError('media_refused', 'This is no file of a Feishu message');
    const authorization = await this.api.authorization(limits.timeoutMs);
    if (typeof authorization !== 'string')
      throw new TransientError('media_unavailable', `The file did not come: ${authorization.reason}`);
    const kind = type === 'image' ? 'image' : 'file';
    const path = `/open-apis/im/v1/messages/${encodeURIComponent(message)}/resources/${encodeURIComponent(key)}?type=${kind}`;
    return this.media.fetch({ url: `${this.api.apiRoot}${path}`, headers: { authorization } }, limits, signal);
  }
}

function imageCall(bytes: Blob, name: string) {
  const form = new FormData();
  form.set('image_type', 'message');
  form.set('image', bytes, name);
  return { type: 'image', request: { method: 'POST' as const, path: '/im/v1/images', body: form } };
}

function fileCall(bytes: Blob, name: string) {
  const fileType = FILE_TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'stream';
  const form = new FormData();
  form.set('file_type', fileType);
  form.set('file_name', name);
  form.set('file', bytes, name);
  const type = fileType === 'opus' ? 'audio' : fileType === 'mp4' ? 'media' : 'file';
  return { type, request: { method: 'POST' as const, path: '/im/v1/files', body: form } };
}

function notUploaded(outcome: Exclude<SendOutcome, { kind: 'sent' }>): Exclude<SendOutcome, { kind: 'sent' }> {
  const reason = `the file was not uploaded: ${outcome.reason}`;
  return outcome.kind === 'unknown' ? { kind: 'retry', reason } : { ...outcome, reason };
}

function failureOf(error: unknown, signal: AbortSignal): Exclude<SendOutcome, { kind: 'sent' }> {
  if (signal.aborted) return { kind: 'retry', reason: 'stopped before the file was sent' };
  if (error instanceof TerminalError) return { kind: 'refused', reason: error.message };
  if (error instanceof TransientError) return { kind: 'retry', reason: error.message };
  throw error;
}

import { z } from 'zod';
import { TerminalError, TransientError } from '#kernel';
import type { Downloaded, DownloadLimits } from '../channel-port.js';
import type { MediaFetch } from '../media/media-fetch.js';
import type { TelegramApi } from './telegram-api.js';

const fileSchema = z.object({ file_path: z.string().optional(), file_size: z.number().optional() });

/**
 * The bytes behind a file id: getFile, then the address it gives, which holds for an hour. Bots get no file above 20 MB.
 * @throws TerminalError `media_refused`; TransientError `media_unavailable`; the signal's reason
 */
export async function downloadFile(
  { api, files, fileId }: { api: TelegramApi; files: MediaFetch; fileId: string },
  { maxBytes, timeoutMs }: DownloadLimits,
  signal: AbortSignal,
): Promise<Downloaded> {
  const started = performance.now();
  const called = await api.call({ method: 'getFile', params: { file_id: fileId } }, { timeoutMs, signal });
  signal.throwIfAborted();
  if (called.kind === 'refused') throw refused(called.reason);
  if (called.kind !== 'ok') throw new TransientError('media_unavailable', `Telegram gave no file: ${called.reason}`);
  const { file_path: path, file_size: size = 0 } = fileSchema.parse(called.result);
  if (size > maxBytes) throw refused(`it has more than ${maxBytes} bytes`);
  // A Bot API server of one's own may answer with a path on its disk.
  if (path === undefined || path.startsWith('/')) throw refused('no address to fetch it from');
  const left = Math.max(1, Math.floor(timeoutMs - (performance.now() - started)));
  return files.fetch({ url: api.fileUrl(path) }, { maxBytes, timeoutMs: left }, signal);
}

function refused(why: string): TerminalError {
  return new TerminalError('media_refused', `This file of Telegram can't be had: ${why}`);
}

import type { Media } from '#contracts';
import type { TelegramMessage } from './update.schema.js';

type File = NonNullable<TelegramMessage['document']>;

/** What a message carries beside its text: nothing or one file, since an album comes as one message per file. */
export function mediaOf(message: TelegramMessage): Media[] {
  const { photo, sticker, voice, audio, video, video_note: round, animation, document } = message;
  const largest = photo?.toSorted((a, b) => b.width * b.height - a.width * a.height)[0];
  if (largest) return [media('image', largest)];
  if (sticker) return [media('image', sticker)];
  const sound = voice ?? audio;
  if (sound) return [media('audio', sound)];
  // An animation repeats itself as a document, for old clients.
  const film = video ?? round ?? animation;
  if (film) return [media('video', film)];
  return document ? [media('file', document)] : [];
}

function media(type: Media['type'], file: File): Media {
  return {
    type,
    ref: file.file_id,
    ...(file.mime_type !== undefined && { mime: file.mime_type }),
    ...(file.file_size !== undefined && { size: file.file_size }),
    ...(file.file_name !== undefined && { name: file.file_name }),
  };
}

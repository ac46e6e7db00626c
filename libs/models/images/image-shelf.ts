import type { ImageView } from '#agent';
import type { ChatMessage, ImageReference } from '#contracts';
import { systemClock, type Clock } from '#kernel';
import { fitImage } from './fit-image.js';

/** Where images come from. */
export interface ImageSource {
  /** Throws when it does not come, for whatever reason. Stops within `timeoutMs`, and at once when the signal fires. */
  load(image: ImageReference, limits: { maxBytes: number; timeoutMs: number }, signal: AbortSignal): Promise<Buffer>;
}

/** The newest of a request are shown: more than these no provider reads with care. */
const MOST_SHOWN = 8;
/** Characters of all of them: the Gemini API takes 20 MB in a request. */
const MOST_TOGETHER = 16_000_000;
/** Before it is made smaller. */
const MOST_BYTES = 20_000_000;
const TIMEOUT_MS = 15_000;
/** Characters that a process keeps, so that the steps of a turn do not fetch an image again. */
const MOST_KEPT = 64_000_000;
/** What did not come is asked for again after this. */
const AGAIN_MS = 60_000;

const NOT_THERE = { unseen: 'it could not be fetched, it may be gone or too large' };
const TOO_MANY = { unseen: `only the newest ${MOST_SHOWN} are` };
const TOO_MUCH = { unseen: 'the newer ones take all the room there is' };

/** The images of one process, as models see them. The store knows where they are; what they show is here, for a while. */
export class ImageShelf {
  /** By reference, the least recently asked for first. */
  readonly #views = new Map<string, { view: ImageView; at: number }>();
  #kept = 0;

  constructor(
    private readonly source: ImageSource,
    private readonly clock: Clock = systemClock,
  ) {}

  /** What the images of these messages show, the newest first as far as there is room. Throws the signal's reason and nothing else. */
  async views(messages: readonly ChatMessage[], signal: AbortSignal): Promise<(image: ImageReference) => ImageView> {
    const images = messages.flatMap((message) => (message.role === 'user' ? (message.images ?? []) : [])).toReversed();
    const byId = new Map(images.map((image) => [idOf(image), image]));
    const newest = [...byId.entries()].slice(0, MOST_SHOWN);
    const views = await Promise.all(newest.map(async ([id, image]) => [id, await this.#view(id, image, signal)] as const));
    const shown = new Map<string, ImageView>();
    let left = MOST_TOGETHER;
    for (const [id, view] of views) {
      const room = left - sizeOf(view);
      shown.set(id, room >= 0 ? view : TOO_MUCH);
      left = Math.max(0, room);
    }
    return (image) => shown.get(idOf(image)) ?? TOO_MANY;
  }

  async #view(id: string, image: ImageReference, signal: AbortSignal): Promise<ImageView> {
    const known = this.#views.get(id);
    const isOld = known && 'unseen' in known.view && this.clock.monotonic() - known.at > AGAIN_MS;
    const view = known && !isOld ? known.view : await this.#load(image, signal);
    this.#keep(id, view, known && !isOld ? known.at : this.clock.monotonic());
    return view;
  }

  async #load(image: ImageReference, signal: AbortSignal): Promise<ImageView> {
    try {
      return await fitImage(await this.source.load(image, { maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS }, signal));
    } catch {
      signal.throwIfAborted();
      return NOT_THERE;
    }
  }

  #keep(id: string, view: ImageView, at: number): void {
    const before = this.#views.get(id);
    this.#views.delete(id);
    this.#views.set(id, { view, at });
    this.#kept += sizeOf(view) + id.length - (before ? sizeOf(before.view) + id.length : 0);
    for (const [oldest, kept] of this.#views) {
      if (this.#kept <= MOST_KEPT) return;
      this.#views.delete(oldest);
      this.#kept -= sizeOf(kept.view) + oldest.length;
    }
  }
}

function sizeOf(view: ImageView): number {
  return 'unseen' in view ? 0 : view.base64.length;
}

function idOf({ channel, account, ref }: ImageReference): string {
  return JSON.stringify([channel, account, ref]);
}

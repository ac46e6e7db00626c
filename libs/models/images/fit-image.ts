import type { ImageView } from '#agent';
import { imageFacts } from './image-facts.js';

/** Anthropic refuses an image whose base64 is larger than 5 MiB, the least of all. */
const MOST_BYTES = 3_900_000;
/** Pixels of the longer side. Providers make smaller what is larger than this, or refuse it beside others. */
const MOST_SIDE = 2000;
/** Of one that is made smaller: what a model sees of it at most (Anthropic). */
const SIDE = 1568;
/** Pixels that are decoded to make an image smaller: 160 MB of memory for a moment. */
const MOST_PIXELS = 40_000_000;
const QUALITY = 80;

const NO_IMAGE = { unseen: 'it is no image that models read' };
const TOO_LARGE = { unseen: 'it is too large' };

/** One at a time: whatever comes in at once, the memory is there for one. */
let last: Promise<unknown> = Promise.resolve();

/** The image as models take it: as it came where it is small enough, else made smaller, off the main thread. Does not throw. */
export async function fitImage(bytes: Buffer): Promise<ImageView> {
  const facts = imageFacts(bytes);
  if (!facts) return NO_IMAGE;
  const { mime, width, height } = facts;
  if (bytes.length <= MOST_BYTES && Math.max(width, height) <= MOST_SIDE) return { mime, base64: bytes.toString('base64') };
  if (width * height > MOST_PIXELS) return TOO_LARGE;
  const smaller = last.then(() => shrunk(bytes));
  last = smaller;
  return smaller;
}

/** Turned as its camera held it, since what says so is lost on the way. The decoder is native: loaded when one is needed. */
async function shrunk(bytes: Buffer): Promise<ImageView> {
  try {
    const { ResizeFit, Transformer } = await import('@napi-rs/image');
    const image = new Transformer(bytes).rotate().fastResize({ width: SIDE, height: SIDE, fit: ResizeFit.Inside });
    const jpeg = Buffer.from(await image.jpeg(QUALITY));
    return jpeg.length <= MOST_BYTES ? { mime: 'image/jpeg', base64: jpeg.toString('base64') } : TOO_LARGE;
  } catch {
    return NO_IMAGE;
  }
}

import type { SeenImage } from '#agent';

export interface ImageFacts {
  mime: SeenImage['mime'];
  width: number;
  height: number;
}

/**
 * What an image says of itself in its first bytes, whatever its sender calls it; undefined for what is none, and for the kinds no
 * model reads. Sources: PNG (W3C), GIF89a, RFC 9649 (WebP), ITU T.81 (JPEG).
 */
export function imageFacts(bytes: Buffer): ImageFacts | undefined {
  try {
    return pngFacts(bytes) ?? gifFacts(bytes) ?? webpFacts(bytes) ?? jpegFacts(bytes);
  } catch (error) {
    // It ends before it has said it.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const startsWith = (bytes: Buffer, text: string, at = 0): boolean => bytes.toString('latin1', at, at + text.length) === text;

function pngFacts(bytes: Buffer): ImageFacts | undefined {
  if (!startsWith(bytes, '\x89PNG\r\n\x1a\n')) return undefined;
  return { mime: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifFacts(bytes: Buffer): ImageFacts | undefined {
  if (!startsWith(bytes, 'GIF87a') && !startsWith(bytes, 'GIF89a')) return undefined;
  return { mime: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webpFacts(bytes: Buffer): ImageFacts | undefined {
  if (!startsWith(bytes, 'RIFF') || !startsWith(bytes, 'WEBP', 8)) return undefined;
  const mime = 'image/webp';
  if (startsWith(bytes, 'VP8X', 12)) return { mime, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (startsWith(bytes, 'VP8L', 12)) {
    const sides = bytes.readUInt32LE(21);
    return { mime, width: (sides & 0x3fff) + 1, height: ((sides >> 14) & 0x3fff) + 1 };
  }
  return { mime, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

/** Segments of a JPEG whose marker is one of these say its size; C4, C8 and CC mean something else. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegFacts(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; ;) {
    if (bytes.readUInt8(at) !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (isFrame(marker)) return { mime: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    // Filling bytes, and markers without a length.
    at += marker === 0xff ? 1 : marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8) ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
}

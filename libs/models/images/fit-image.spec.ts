import { Transformer } from '@napi-rs/image';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitImage } from './fit-image.js';
import { imageFacts } from './image-facts.js';

const SMALL = { width: 37, height: 21 };
/** Noise, which no format makes small. */
const pixels = (width: number, height: number) =>
  Transformer.fromRgbaPixels(
    Uint8Array.from({ length: width * height * 4 }, (_, at) => (Math.imul(at, 2_654_435_761) >>> 9) & 255),
    width,
    height,
  );
const gif = Buffer.from(
  'R0lGODlhJQAVAIAAAAAAAP///yH5BAEAAAAALAAAAAAlABUAAAIjhI+py+0Po5y02ouz3rz7D4biSJbmiabqyrbuC8fyTNf2jecFADs=',
  'base64',
);

const formats = async () => {
  const { width, height } = SMALL;
  return {
    'image/png': await pixels(width, height).png(),
    'image/jpeg': await pixels(width, height).jpeg(90),
    'image/webp': await pixels(width, height).webp(),
    lossless: await pixels(width, height).webpLossless(),
    'image/gif': gif,
  };
};

test('MO-4 the kind and the size of an image are read from its first bytes, whatever it is called', async () => {
  const { lossless, ...named } = await formats();
  for (const [mime, bytes] of Object.entries(named)) expect(imageFacts(Buffer.from(bytes))).toEqual({ mime, ...SMALL });
  expect(imageFacts(Buffer.from(lossless))).toEqual({ mime: 'image/webp', ...SMALL });
  for (const bytes of [await pixels(9, 9).bmp(), await pixels(9, 9).tiff(), Buffer.from('<svg/>'), Buffer.alloc(0)])
    expect(imageFacts(Buffer.from(bytes))).toBeUndefined();
});

test('MO-4 what is cut, changed or no image at all is told, and throws nothing', async () => {
  const all = Object.values(await formats()).map((bytes) => Buffer.from(bytes));
  const broken = fc
    .record({ of: fc.constantFrom(...all), cut: fc.nat(1), at: fc.nat(60), by: fc.nat(255), end: fc.nat(400) })
    .map(({ of, cut, at, by, end }) => {
      const bytes = Buffer.from(cut === 1 ? of.subarray(0, end) : of);
      if (at < bytes.length) bytes[at] = by;
      return bytes;
    });
  const property = fc.asyncProperty(
    fc.oneof(
      broken,
      fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
    ),
    async (bytes) => {
      const view = await fitImage(bytes);
      expect('unseen' in view || Buffer.from(view.base64, 'base64').equals(bytes) || view.mime === 'image/jpeg').toBe(true);
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

test('MO-4 an image that is small enough stays as it is, a larger one is made smaller, its sides in proportion', async () => {
  const png = Buffer.from(await pixels(300, 200).png());
  expect(await fitImage(png)).toEqual({ mime: 'image/png', base64: png.toString('base64') });
  const wide = await fitImage(Buffer.from(await pixels(2400, 600).png()));
  if ('unseen' in wide) expect.fail();
  const small = Buffer.from(wide.base64, 'base64');
  expect(imageFacts(small)).toEqual({ mime: 'image/jpeg', width: 1568, height: 392 });
});

test('MO-4 an image that would take all memory is not decoded', async () => {
  const bomb = Buffer.from(await pixels(4, 4).png());
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  expect(await fitImage(bomb)).toEqual({ unseen: 'it is too large' });
  const lie = Buffer.from(await pixels(4, 4).png());
  lie.writeUInt32BE(3000, 16);
  expect(await fitImage(lie)).toEqual({ unseen: 'it is no image that models read' });
});

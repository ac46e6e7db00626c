import { gunzipSync } from 'node:zlib';
import { Problem } from '../http/problem.js';

/**
 * The text behind the bytes that were signed. Signatures are over the bytes as sent; only verified ones are unpacked.
 * @throws Problem 400 broken gzip, 413 more than `limit` bytes, 415 another encoding
 */
export function decodeBody(body: Buffer, encoding: string | undefined, limit: number): Buffer {
  if (encoding === undefined || encoding === 'identity') return body;
  if (encoding !== 'gzip') throw new Problem(415, 'encoding', 'Content-Encoding: send gzip, or nothing.');
  try {
    return gunzipSync(body, { maxOutputLength: limit });
  } catch (error) {
    if (error instanceof RangeError) throw new Problem(413, 'body-too-large', `The unpacked body is larger than ${limit} bytes.`);
    throw new Problem(400, 'malformed-gzip', 'Content-Encoding is gzip, the body is not.');
  }
}

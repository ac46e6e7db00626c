import { createDecipheriv, createHash } from 'node:crypto';

const IV_BYTES = 16;

/**
 * Opens what Feishu encrypted: base64 of an initial vector and AES-256-CBC under the SHA-256 of the encrypt key.
 * Undefined when it was not sealed with this key.
 */
export function openSealed(sealed: string, encryptKey: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  const key = createHash('sha256').update(encryptKey).digest();
  try {
    const cipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, IV_BYTES));
    return Buffer.concat([cipher.update(bytes.subarray(IV_BYTES)), cipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** What Feishu puts into `X-Lark-Signature`: no HMAC, a hash with the key in the middle. */
export function bodySignature(parts: { timestamp: string; nonce: string; encryptKey: string; body: Buffer }): string {
  const { timestamp, nonce, encryptKey, body } = parts;
  return createHash('sha256').update(`${timestamp}${nonce}${encryptKey}`).update(body).digest('hex');
}

import { createHmac } from 'node:crypto';

const ENCODED = 'whsec_';

/** The bytes of a secret: those of its text, or after `whsec_` its base64 (the Standard Webhooks notation). */
export function signingKey(secret: string): Buffer {
  return secret.startsWith(ENCODED) ? Buffer.from(secret.slice(ENCODED.length), 'base64') : Buffer.from(secret, 'utf8');
}

/** `sha256=<hex>` over exactly the bytes of a body: what senders put into `X-Signature-256`. */
export function bodySignature(key: Buffer, body: Buffer): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}

/**
 * Signature headers of https://www.standardwebhooks.com.
 * @param seconds since the epoch; receivers refuse what is far from their own clock
 */
export function standardWebhookHeaders(key: Buffer, id: string, seconds: number, body: string): Record<string, string> {
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}

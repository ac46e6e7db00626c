import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { Verification, WebhookRequest } from '../channel-port.js';
import { isCurrent } from '../signed-time.js';

/** What stands before the 32 bytes of an Ed25519 key in SPKI form (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** @param hex the 64 digits that the application's page shows as "Public Key" */
export function discordKey(hex: string): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, Buffer.from(hex, 'hex')]), format: 'der', type: 'spki' });
}

/**
 * Ed25519 over the timestamp and the raw body, https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint.
 * Discord asks for nothing about the age; five minutes keep an overheard request from being of use later.
 * @param now ms since the epoch
 */
export function verifyDiscord({ headers, body }: WebhookRequest, key: KeyObject, now: number): Verification {
  const signature = headers['x-signature-ed25519'];
  const time = headers['x-signature-timestamp'];
  if (signature === undefined || time === undefined)
    return { ok: false, reason: 'x-signature-ed25519 or x-signature-timestamp is missing' };
  if (!isCurrent(time, now)) return { ok: false, reason: 'x-signature-timestamp is more than five minutes from the time here' };
  const isHex = /^[0-9a-f]{128}$/.test(signature);
  if (isHex && verify(null, Buffer.concat([Buffer.from(time), body]), key, Buffer.from(signature, 'hex'))) return { ok: true };
  return { ok: false, reason: 'x-signature-ed25519 is not that of this body under the configured publicKey' };
}

import { createHmac } from 'node:crypto';
import type { Verification, WebhookRequest } from '../channel-port.js';
import { equalInConstantTime } from '../constant-time.js';
import { isCurrent } from '../signed-time.js';

/**
 * `v0=` and the hex HMAC-SHA256 of `v0:<time>:<raw body>`, over the bytes as they came: JSON or form alike.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 * @param now ms since the epoch
 */
export function verifySlack({ headers, body }: WebhookRequest, signingSecret: string, now: number): Verification {
  const signature = headers['x-slack-signature'];
  const time = headers['x-slack-request-timestamp'];
  if (signature === undefined || time === undefined)
    return { ok: false, reason: 'x-slack-signature or x-slack-request-timestamp is missing' };
  if (!isCurrent(time, now))
    return { ok: false, reason: 'x-slack-request-timestamp is more than five minutes from the time here' };
  const expected = `v0=${createHmac('sha256', signingSecret).update(`v0:${time}:`).update(body).digest('hex')}`;
  if (equalInConstantTime(expected, signature)) return { ok: true };
  return { ok: false, reason: 'x-slack-signature is not that of this body under the configured signingSecret' };
}

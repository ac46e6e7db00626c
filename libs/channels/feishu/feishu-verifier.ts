import { z } from 'zod';
import type { Clock } from '#kernel';
import type { Verification, WebhookRequest } from '../channel-port.js';
import { equalInConstantTime } from '../constant-time.js';
import { challengeSchema, sealedSchema } from './event.schema.js';
import { bodySignature, openSealed } from './sealed-body.js';

/**
 * Feishu says nothing about how old a signed request may be, and tries for 7 hours: a younger limit could turn a retry
 * away. What is replayed within it is a duplicate; what is older, nobody remembers.
 */
const MOST_BEHIND_S = 8 * 3600;
const MOST_AHEAD_S = 300;

const tokenSchema = z.union([
  challengeSchema,
  z.object({ header: z.object({ token: z.string() }) }).transform(({ header }) => header),
]);

export interface FeishuSecrets {
  verificationToken: string;
  /** Without it bodies come in plain, and the token inside them is all the proof there is. */
  encryptKey: string | undefined;
}

/** Tells whether a request comes from Feishu, and opens it. */
export class FeishuVerifier {
  constructor(
    private readonly secrets: FeishuSecrets,
    private readonly clock: Clock,
  ) {}

  verify(request: WebhookRequest): Verification {
    const { encryptKey, verificationToken } = this.secrets;
    if (encryptKey !== undefined) return this.verifySigned(request, encryptKey);
    const said = tokenSchema.safeParse(jsonOf(request.body.toString('utf8')));
    if (said.success && equalInConstantTime(verificationToken, said.data.token)) return { ok: true };
    return { ok: false, reason: 'the token in the body is not the configured verificationToken' };
  }

  /** The body in plain. Undefined when it does not open. */
  open(body: Buffer): string | undefined {
    const text = body.toString('utf8');
    const { encryptKey } = this.secrets;
    const sealed = encryptKey === undefined ? undefined : sealedSchema.safeParse(jsonOf(text)).data;
    return sealed && encryptKey !== undefined ? openSealed(sealed.encrypt, encryptKey) : text;
  }

  private verifySigned({ headers, body }: WebhookRequest, encryptKey: string): Verification {
    const given = headers['x-lark-signature'];
    if (given === undefined) return this.verifyChallenge(body);
    const timestamp = headers['x-lark-request-timestamp'] ?? '';
    const nonce = headers['x-lark-request-nonce'] ?? '';
    if (!equalInConstantTime(bodySignature({ timestamp, nonce, encryptKey, body }), given)) {
      return { ok: false, reason: 'x-lark-signature is not the SHA-256 of timestamp, nonce, encryptKey and raw body' };
    }
    const age = this.clock.now() / 1000 - Number(timestamp);
    if (age <= MOST_BEHIND_S && age >= -MOST_AHEAD_S) return { ok: true };
    return { ok: false, reason: 'x-lark-request-timestamp is too far from now' };
  }

  /** The question whether an address is yours comes sealed, but unsigned: whoever knows the key and the token asked it. */
  private verifyChallenge(body: Buffer): Verification {
    const asked = challengeSchema.safeParse(jsonOf(this.open(body) ?? '')).data;
    if (sealedSchema.safeParse(jsonOf(body.toString('utf8'))).success && asked) {
      if (equalInConstantTime(this.secrets.verificationToken, asked.token)) return { ok: true };
    }
    return { ok: false, reason: 'x-lark-signature is missing' };
  }
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

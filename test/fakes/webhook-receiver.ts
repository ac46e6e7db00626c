import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { Arrivals } from './arrivals.js';
import { startScriptedServer, type Answered, type Fault, type HttpReply, type ReceivedRequest } from './scripted-server.js';

const bodySchema = z.object({
  id: z.string(),
  turnId: z.string(),
  sequenceInTurn: z.number(),
  deliveryMode: z.string(),
  conversation: z.string(),
  thread: z.string().nullable(),
  replyTo: z.string().nullable(),
  text: z.string(),
  action: z.object({ do: z.string(), message: z.string(), emoji: z.string().nullish() }).optional(),
  media: z.array(z.object({ type: z.string(), url: z.string(), caption: z.string().optional() })).optional(),
  buttons: z.array(z.object({ text: z.string(), data: z.string() })).optional(),
  possibleDuplicate: z.boolean(),
});
export type WebhookMessage = z.infer<typeof bodySchema>;

/** One request as it arrived, whatever became of it. */
export interface WebhookAttempt {
  /** performance.now() */
  at: number;
  key: string;
  message: WebhookMessage;
  signature: 'valid' | 'invalid' | 'unchecked';
  answered: Answered;
  /** performance.now(); undefined while the request waits. */
  answeredAt: number | undefined;
}

export interface WebhookReceiver {
  url: string;
  /** Every request, raw. */
  attempts: WebhookAttempt[];
  /** What the receiver took: once per Idempotency-Key when it dedupes, else every accepted request. */
  messages: WebhookMessage[];
  fail(...faults: Fault[]): void;
  /** The next `count` taken messages of a conversation, each given once. */
  nextMessages(conversation: string, count: number): Promise<WebhookMessage[]>;
  close(): Promise<void>;
}

interface WebhookReceiverOptions {
  dedupe: boolean;
  /** Checks the Standard Webhooks signature and answers 401 when it is wrong. */
  secret?: string;
  script?: readonly Fault[];
}

/** The other end of a generic webhook account. */
export async function startWebhookReceiver({ dedupe, secret, script }: WebhookReceiverOptions): Promise<WebhookReceiver> {
  const attempts: WebhookAttempt[] = [];
  const messages: WebhookMessage[] = [];
  const taken = new Set<string>();
  const arrivals = new Arrivals<WebhookMessage>();
  const take = (request: ReceivedRequest): HttpReply => {
    if (signatureOf(request, secret) === 'invalid') return { status: 401, body: 'wrong signature' };
    const { key, message } = read(request);
    if (!dedupe || !taken.has(key)) {
      taken.add(key);
      messages.push(message);
      arrivals.push(message.conversation, message);
    }
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ id: `r-${key}` }) };
  };
  const server = await startScriptedServer(
    {
      record: (request) => {
        const signature = signatureOf(request, secret);
        const attempt: WebhookAttempt = {
          at: request.at,
          ...read(request),
          signature,
          answered: 'waiting',
          answeredAt: undefined,
        };
        attempts.push(attempt);
        return (answered) => Object.assign(attempt, { answered, answeredAt: performance.now() });
      },
      answer: take,
    },
    script,
  );
  return { ...server, attempts, messages, nextMessages: (conversation, count) => arrivals.next(conversation, count) };
}

function read({ headers, body }: ReceivedRequest): { key: string; message: WebhookMessage } {
  return { key: String(headers['idempotency-key']), message: bodySchema.parse(JSON.parse(body)) };
}

/** Written from the Standard Webhooks text, not from our signer. */
function signatureOf({ headers, body }: ReceivedRequest, secret: string | undefined): WebhookAttempt['signature'] {
  if (secret === undefined) return 'unchecked';
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  const expected = createHmac('sha256', key).update(signed).digest('base64');
  const given = String(headers['webhook-signature']).split(' ');
  return given.includes(`v1,${expected}`) ? 'valid' : 'invalid';
}

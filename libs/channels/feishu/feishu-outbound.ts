import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Media, OutboxRow, Target } from '#contracts';
import type {
  ChannelCapabilities,
  Chunk,
  Downloaded,
  DownloadLimits,
  OutboundChannel,
  RateScope,
  SendContext,
  SendOutcome,
} from '../channel-port.js';
import type { FeishuAnswer } from './feishu-answer.js';
import type { FeishuApi, FeishuCall } from './feishu-api.js';
import { feishuDescription } from './feishu-description.js';
import type { FeishuFiles } from './feishu-files.js';
import { chunksOf, payloadSchema, type FeishuPayload } from './feishu-messages.js';
import { ReactionCalls } from './reaction-calls.js';
import { TopicRoots } from './topic-roots.js';

const sentSchema = z.object({ message_id: z.string().min(1) });
const ID = /^[A-Za-z0-9_-]{1,128}$/;

interface Attempt {
  target: Target;
  context: SendContext;
  signal: AbortSignal;
}

/** What a message is sent as: its type, and its content before it is made JSON. */
interface Posted {
  type: string;
  content: Record<string, unknown>;
}

/** Messages of one app. Feishu drops a second send with the same `uuid` for an hour. */
export class FeishuOutbound implements OutboundChannel {
  readonly capabilities: ChannelCapabilities = feishuDescription.capabilities;
  private readonly topics: TopicRoots;
  private readonly reactions: ReactionCalls;

  constructor(
    private readonly api: FeishuApi,
    private readonly files: FeishuFiles,
    appId: string,
  ) {
    this.topics = new TopicRoots(api);
    this.reactions = new ReactionCalls(api, appId);
  }

  render(row: OutboxRow): Chunk[] {
    return chunksOf(row);
  }

  /** "50 a second, 1000 a minute" for each API of an app; "5 QPS" to one person or group. */
  rates({ conversation }: Target): RateScope[] {
    return [
      { scope: 'app', key: '', count: 50, perMs: 1_000 },
      { scope: 'appMinute', key: '', count: 1_000, perMs: 60_000 },
      { scope: 'chat', key: conversation, count: 5, perMs: 1_000 },
    ];
  }

  async send(target: Target, chunk: Chunk, context: SendContext, signal: AbortSignal): Promise<SendOutcome> {
    const payload = payloadSchema.parse(chunk.payload);
    const ids = [target.conversation, target.thread, target.replyTo, 'id' in payload ? payload.id : undefined];
    const malformed = ids.find((id) => id !== undefined && !ID.test(id));
    if (malformed !== undefined) return { kind: 'refused', reason: `"${malformed}" is not an id of Feishu` };
    return this.perform(payload, chunk.text, { target, context, signal });
  }

  download(media: Media, limits: DownloadLimits, signal: AbortSignal): Promise<Downloaded> {
    return this.files.download(media, limits, signal);
  }

  private async perform(payload: FeishuPayload, text: string, attempt: Attempt): Promise<SendOutcome> {
    const { context, signal } = attempt;
    switch (payload.do) {
      case 'refuse':
        return { kind: 'refused', reason: payload.reason };
      case 'send':
        return this.postOrPlain(payload.message, payload.first, text, attempt);
      case 'sendFile': {
        const uploaded = await this.files.upload(payload.file, context.timeoutMs, signal);
        return 'outcome' in uploaded ? uploaded.outcome : sentOutcome(await this.post(uploaded, payload.first, attempt));
      }
      case 'edit':
        return this.edit(payload, attempt);
      case 'delete': {
        const answer = await this.api.call({ method: 'DELETE', path: `/im/v1/messages/${payload.id}` }, context, signal);
        return done(answer, payload.id, 'gone');
      }
      case 'react':
        return this.reactions.react(payload.id, payload.emoji, context, signal);
    }
  }

  /** One address that Feishu finds fault with costs a whole post or card: what it will not read goes out as plain text. */
  private async postOrPlain(message: Posted, first: boolean, text: string, attempt: Attempt): Promise<SendOutcome> {
    const answer = await this.post(message, first, attempt);
    if (answer.kind === 'ok' || answer.about !== 'unread') return sentOutcome(answer);
    // In plain text a tag would act.
    return sentOutcome(await this.post({ type: 'text', content: { text: text.replaceAll('<at', '<\u200bat') } }, first, attempt));
  }

  /** Only the first part of an answer quotes; every part stays in its topic. */
  private async post({ type, content }: Posted, first: boolean, { target, context, signal }: Attempt): Promise<FeishuAnswer> {
    const body = { msg_type: type, content: JSON.stringify(content), uuid: uuidOf(context.idempotencyKey) };
    const send = async (call: FeishuCall): Promise<FeishuAnswer> => this.api.call(call, context, signal);
    const { replyTo, thread, conversation } = target;
    if (first && replyTo !== undefined) {
      const answer = await send(replyCall(replyTo, body, thread !== undefined));
      if (answer.kind === 'ok' || answer.about !== 'gone') return answer;
    }
    if (thread === undefined) {
      const path = `/im/v1/messages?receive_id_type=${idTypeOf(conversation)}`;
      return send({ method: 'POST', path, body: { receive_id: conversation, ...body } });
    }
    const root = await this.topics.find(thread, context, signal);
    return 'outcome' in root ? { kind: 'error', ...root } : send(replyCall(root.id, body, true));
  }

  /** Texts are put, cards are patched; what a message is, only Feishu knows. */
  private async edit(payload: Extract<FeishuPayload, { do: 'edit' }>, { context, signal }: Attempt): Promise<SendOutcome> {
    const { id, message, other } = payload;
    const first = await this.api.call(editCall(id, message), context, signal);
    if (first.kind === 'ok' || first.about !== 'unread') return done(first, id);
    return done(await this.api.call(editCall(id, other), context, signal), id);
  }
}

function replyCall(id: string, body: Record<string, unknown>, inThread: boolean): FeishuCall {
  return { method: 'POST', path: `/im/v1/messages/${id}/reply`, body: { ...body, reply_in_thread: inThread } };
}

function editCall(id: string, { type, content }: Posted): FeishuCall {
  const path = `/im/v1/messages/${id}`;
  const text = JSON.stringify(content);
  return type === 'interactive'
    ? { method: 'PATCH', path, body: { content: text } }
    : { method: 'PUT', path, body: { msg_type: type, content: text } };
}

/** A chat, or a person by the id that messages bring. */
function idTypeOf(conversation: string): string {
  if (conversation.startsWith('ou_')) return 'open_id';
  return conversation.startsWith('on_') ? 'union_id' : 'chat_id';
}

/** At most 50 characters. */
function uuidOf(idempotencyKey: string): string {
  return createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40);
}

function sentOutcome(answer: FeishuAnswer): SendOutcome {
  if (answer.kind === 'error') return answer.outcome;
  const sent = sentSchema.safeParse(answer.data).data;
  return sent ? { kind: 'sent', platformId: sent.message_id } : { kind: 'unknown', reason: 'success without a message id' };
}

/** For what is done to a message: the end is the same if it was so before. */
function done(answer: FeishuAnswer, platformId: string, also?: 'gone'): SendOutcome {
  if (answer.kind === 'ok' || (also !== undefined && answer.about === also)) return { kind: 'sent', platformId };
  return answer.outcome;
}

import { createHash } from 'node:crypto';
import type { Target } from '#contracts';
import type { Chunk, PreviewOutcome, PreviewSign, PreviewText, SendContext, SendOutcome } from '../channel-port.js';
import { previewed } from '../previewed.js';
import type { CallLimits, TelegramApi } from './telegram-api.js';
import { GENERAL_TOPIC } from './telegram-asks.js';
import { payloadSchema, type Words } from './telegram-payload.js';
import { wordsOf } from './telegram-render.js';
import { isUnreadable, type TelegramSending } from './telegram-sending.js';

/**
 * "Avoid sending more than one message per second" in a chat, "20 messages per minute" in a group, of which previews get half (SparePermits).
 * https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
 */
const PRIVATE_EVERY_MS = 1_100;
const GROUP_EVERY_MS = 3_100;

/**
 * In private chats a draft, which the next message of the bot takes away and which is gone after 30 s; elsewhere a message that is
 * edited. https://core.telegram.org/bots/api#sendmessagedraft
 */
export class TelegramPreview implements PreviewSign {
  constructor(
    private readonly api: TelegramApi,
    private readonly sending: TelegramSending,
  ) {}

  everyMs(target: Target): number {
    return isPrivate(target) ? PRIVATE_EVERY_MS : GROUP_EVERY_MS;
  }

  async show(target: Target, { id, text, shown }: PreviewText, timeoutMs: number, signal: AbortSignal): Promise<PreviewOutcome> {
    const [words] = wordsOf(text);
    if (!words) return { kind: 'over' };
    const limits = { timeoutMs, signal };
    if (isPrivate(target)) return this.draft(target, id, words, limits);
    const payload = shown
      ? { do: 'edit' as const, message: shown.message, words, buttons: [] }
      : { do: 'text' as const, words, first: true, buttons: [] };
    return previewed(await this.sending.send(payload, target, limits));
  }

  async replace(
    target: Target,
    message: string,
    { payload: rendering }: Chunk,
    { timeoutMs }: SendContext,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const payload = payloadSchema.parse(rendering);
    if (payload.do !== 'text') return { kind: 'refused', reason: 'a file takes no place of a text' };
    const { words, buttons } = payload;
    return this.sending.send({ do: 'edit', message, words, buttons }, target, { timeoutMs, signal });
  }

  private async draft(target: Target, id: string, { html, text }: Words, limits: CallLimits): Promise<PreviewOutcome> {
    const { conversation, thread } = target;
    const place = {
      chat_id: Number(conversation),
      draft_id: draftId(id),
      ...(thread !== undefined && thread !== GENERAL_TOPIC && { message_thread_id: Number(thread) }),
    };
    const called = await this.api.call(
      { method: 'sendMessageDraft', params: { ...place, text: html, parse_mode: 'HTML' } },
      limits,
    );
    if (called.kind === 'ok') return { kind: 'shown' };
    if (called.kind !== 'refused' || !isUnreadable(called.reason)) return previewed(called);
    const plain = await this.api.call({ method: 'sendMessageDraft', params: { ...place, text } }, limits);
    return plain.kind === 'ok' ? { kind: 'shown' } : previewed(plain);
  }
}

/** Groups and channels have negative ids. */
function isPrivate({ conversation }: Target): boolean {
  return !conversation.startsWith('-');
}

/** "Must be non-zero": 31 bits of the turn's id, so that its next attempt goes on with the same draft. */
function draftId(id: string): number {
  return (createHash('sha256').update(id).digest().readUInt32BE() >>> 1) + 1;
}

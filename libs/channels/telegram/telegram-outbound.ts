import type { ApiMethods } from '@grammyjs/types';
import { z } from 'zod';
import type { Button, OutboxRow, Target } from '#contracts';
import type { Clock } from '#kernel';
import type { Chunk, OutboundChannel, SendContext, SendOutcome, TypingSign, RateScope } from '../channel-port.js';
import { answerJson, post, retryAfterMs, type HttpAnswer } from '../delivery-outcome.js';
import { renderMarkdown } from '../markdown/render-markdown.js';
import { telegramDescription } from './telegram-description.js';
import { telegramHtml } from './telegram-html.dialect.js';

type SendMessage = Parameters<ApiMethods<never>['sendMessage']>[0];

/** Messages of a forum's General topic arrive without a thread id, and are refused with one. */
const GENERAL_TOPIC = '1';

const payloadSchema = z.object({
  html: z.string(),
  first: z.boolean(),
  buttons: z.array(z.object({ text: z.string(), data: z.string() })).default([]),
});

const answerSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), result: z.object({ message_id: z.number() }) }),
  z.object({
    ok: z.literal(false),
    error_code: z.number(),
    description: z.string().default(''),
    parameters: z.object({ retry_after: z.number().optional() }).optional(),
  }),
]);

interface TelegramOutboundOptions {
  apiRoot: string;
  botToken: string;
  clock: Clock;
}

/** `sendMessage` of one bot. The token is in the URL, so no URL ever reaches a reason. */
export class TelegramOutbound implements OutboundChannel {
  readonly capabilities = telegramDescription.capabilities;
  /** "The status is set for 5 seconds or less (when a message arrives from your bot, Telegram clients clear it)". */
  readonly typing: TypingSign = { lastsMs: 5_000, show: (target, timeoutMs) => this.showTyping(target, timeoutMs) };

  constructor(private readonly options: TelegramOutboundOptions) {}

  render(row: OutboxRow): Chunk[] {
    const chunks = renderMarkdown(row.text, telegramHtml, this.capabilities.maxTextLength);
    return chunks.map(({ text, body }, index) => ({
      text,
      payload: {
        html: body,
        first: index === 0,
        ...(row.buttons && index === chunks.length - 1 && { buttons: row.buttons }),
      },
    }));
  }

  /** "avoid sending more than one message per second" in a chat, "20 messages per minute" in a group, "no more than 30 per second" overall. */
  rates({ conversation }: Target): RateScope[] {
    const rates: RateScope[] = [
      { scope: 'bot', key: '', count: 30, perMs: 1000 },
      { scope: 'chat', key: conversation, count: 1, perMs: 1000 },
    ];
    return conversation.startsWith('-') ? [...rates, { scope: 'group', key: conversation, count: 20, perMs: 60_000 }] : rates;
  }

  async send(target: Target, chunk: Chunk, context: SendContext, signal: AbortSignal): Promise<SendOutcome> {
    const malformed = [target.thread, target.replyTo].find((id) => id !== undefined && !/^\d+$/.test(id));
    if (malformed !== undefined)
      return { kind: 'refused', reason: `"${malformed}" is not the id of a Telegram topic or message` };
    const { html, first, buttons } = payloadSchema.parse(chunk.payload);
    const started = this.options.clock.monotonic();
    const place = { ...placeOf(target, first), ...keyboard(buttons) };
    const outcome = await this.call({ ...place, text: html, parse_mode: 'HTML' }, context.timeoutMs, signal);
    if (outcome.kind !== 'refused' || !outcome.reason.includes("can't parse entities")) return outcome;
    const timeoutMs = Math.floor(context.timeoutMs - (this.options.clock.monotonic() - started));
    return timeoutMs > 0
      ? this.call({ ...place, text: chunk.text }, timeoutMs, signal)
      : { kind: 'retry', reason: 'no time left for plain text' };
  }

  private async call(message: SendMessage, timeoutMs: number, signal: AbortSignal): Promise<SendOutcome> {
    const answer = await this.post('sendMessage', message, timeoutMs, signal);
    return answer.kind === 'answer' ? this.outcomeOf(answer) : answer;
  }

  private async showTyping({ conversation, thread }: Target, timeoutMs: number): Promise<void> {
    const place = { chat_id: conversation, ...topicOf(thread) };
    await this.post('sendChatAction', { ...place, action: 'typing' }, timeoutMs, AbortSignal.timeout(timeoutMs));
  }

  private post<M extends 'sendMessage' | 'sendChatAction'>(
    method: M,
    body: Parameters<ApiMethods<never>[M]>[0],
    timeoutMs: number,
    signal: AbortSignal,
  ): ReturnType<typeof post> {
    const { apiRoot, botToken } = this.options;
    const url = new URL(`${apiRoot.replace(/\/+$/, '')}/bot${botToken}/${method}`);
    return post({ url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }, { timeoutMs }, signal);
  }

  /** A Bot API error says that nothing was sent; a bare gateway error says nothing at all. */
  private outcomeOf(answer: HttpAnswer): SendOutcome {
    const said = answerJson(answer, answerSchema);
    if (said?.ok) return { kind: 'sent', platformId: String(said.result.message_id) };
    const status = said?.error_code ?? answer.status;
    const reason = `${status} ${said?.description ?? 'without a Bot API answer'}`.replaceAll(this.options.botToken, '<token>');
    if (status === 429) return { kind: 'retry', reason, ...this.floor(said?.parameters?.retry_after, answer) };
    if (status === 503 || (said && status >= 500)) return { kind: 'retry', reason };
    if (status === 401) return { kind: 'refused', reason: 'unauthorized: the bot token is not valid' };
    return status >= 300 && status < 500 ? { kind: 'refused', reason } : { kind: 'unknown', reason };
  }

  private floor(seconds: number | undefined, answer: HttpAnswer): { retryAfterMs?: number } {
    const ms = seconds === undefined ? retryAfterMs(answer.headers, this.options.clock.now()) : seconds * 1000;
    return ms === undefined ? {} : { retryAfterMs: ms };
  }
}

function topicOf(thread: string | undefined): { message_thread_id?: number } {
  return thread === undefined || thread === GENERAL_TOPIC ? {} : { message_thread_id: Number(thread) };
}

/** Only the first chunk quotes: a long answer is one reply. */
function placeOf(
  { conversation, thread, replyTo }: Target,
  first: boolean,
): Pick<SendMessage, 'chat_id' | 'message_thread_id' | 'reply_parameters'> {
  return {
    chat_id: conversation,
    ...topicOf(thread),
    ...(first &&
      replyTo !== undefined && { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }),
  };
}

/** One below the other: choices may be long. */
function keyboard(buttons: readonly Button[]): Pick<SendMessage, 'reply_markup'> {
  if (buttons.length === 0) return {};
  return { reply_markup: { inline_keyboard: buttons.map(({ text, data }) => [{ text, callback_data: data }]) } };
}

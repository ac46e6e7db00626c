import { z } from 'zod';
import type { OutboxRow, Target } from '#contracts';
import { assertNever, type Clock } from '#kernel';
import type { Chunk, OutboundChannel, PreviewSign, RateScope, SendContext, SendOutcome, TypingSign } from '../channel-port.js';
import { answerJson } from '../delivery-outcome.js';
import type { MediaFetch } from '../media/media-fetch.js';
import { fetchOutbound, type OutboundFile } from '../media/outbound-media.js';
import { TimeBudget } from '../time-budget.js';
import type { Called, DiscordApi, DiscordCall } from './discord-api.js';
import { created, isGone, isInteraction, messagePath, originalPath, SNOWFLAKE } from './discord-calls.js';
import { discordDescription } from './discord-description.js';
import { bodyOf, messageOf, nonceOf } from './discord-message.js';
import { DiscordPreview } from './discord-preview.js';
import { discordPayloadSchema, renderForDiscord, type DiscordPayload } from './discord-payload.js';

type PayloadOf<D extends DiscordPayload['do']> = Extract<DiscordPayload, { do: D }>;

/** What a bot may upload where nobody pays for more, https://docs.discord.com/developers/reference#uploading-files. */
const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;
const UNKNOWN_MESSAGE = 10_008;

const reactedSchema = z.object({
  reactions: z
    .array(z.object({ me: z.boolean(), emoji: z.object({ id: z.string().nullable(), name: z.string().nullable() }) }))
    .default([]),
});

interface DiscordOutboundOptions {
  api: DiscordApi;
  fetcher: MediaFetch;
  applicationId: string;
  clock: Clock;
}

/** Where one send goes, and for how long it may take. */
interface Attempt {
  /** A thread is a channel of its own. */
  channel: string;
  replyTo: string | undefined;
  context: SendContext;
  budget: TimeBudget;
  signal: AbortSignal;
}

/** What one bot says. */
export class DiscordOutbound implements OutboundChannel {
  readonly capabilities = discordDescription.capabilities;
  /** "The typing indicator expires after 10 seconds." */
  readonly typing: TypingSign = { lastsMs: 10_000, show: (target, timeoutMs) => this.showTyping(target, timeoutMs) };
  readonly preview: PreviewSign;

  constructor(private readonly options: DiscordOutboundOptions) {
    this.preview = new DiscordPreview(options);
  }

  render(row: OutboxRow): Chunk[] {
    return renderForDiscord(row);
  }

  /** What Discord really allows it says in its 429s; these are the figures that bots see. */
  rates({ conversation, thread }: Target): RateScope[] {
    return [
      { scope: 'bot', key: '', count: 50, perMs: 1000 },
      { scope: 'chat', key: thread ?? conversation, count: 5, perMs: 5000 },
    ];
  }

  async send(target: Target, chunk: Chunk, context: SendContext, signal: AbortSignal): Promise<SendOutcome> {
    const { conversation, thread: channel = conversation, replyTo } = target;
    if (!SNOWFLAKE.test(channel)) return { kind: 'refused', reason: `"${channel}" is not the id of a Discord channel` };
    const budget = new TimeBudget(context.timeoutMs, this.options.clock);
    return this.perform(discordPayloadSchema.parse(chunk.payload), { channel, replyTo, context, budget, signal });
  }

  private async perform(payload: DiscordPayload, attempt: Attempt): Promise<SendOutcome> {
    switch (payload.do) {
      case 'post':
        return this.post(payload, attempt);
      case 'edit':
        return this.edit(payload, attempt);
      case 'delete':
        return this.remove(payload.message, attempt);
      case 'react':
        return payload.emoji === null
          ? this.unreact(payload.message, attempt)
          : this.react(payload.message, payload.emoji, attempt);
      default:
        return assertNever(payload);
    }
  }

  private async post(payload: PayloadOf<'post'>, attempt: Attempt): Promise<SendOutcome> {
    const { replyTo, budget, signal } = attempt;
    const limits = { maxBytes: MAX_UPLOAD_BYTES, timeoutMs: budget.left() };
    const fetched = payload.file && (await fetchOutbound(payload.file, this.options.fetcher, limits, signal));
    if (fetched && !fetched.ok) return fetched.outcome;
    if (isInteraction(replyTo) && payload.first && attempt.context.row.n === 1) {
      const answered = await this.answer(payload, replyTo, fetched?.file, attempt);
      if (!isGone(answered)) return created(answered);
    }
    const reference = replyTo !== undefined && !isInteraction(replyTo) && payload.first;
    const message = {
      ...messageOf(payload, fetched?.file),
      nonce: nonceOf(attempt.context.idempotencyKey),
      enforce_nonce: true,
      ...(reference && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
    };
    const path = `channels/${attempt.channel}/messages`;
    return created(await this.call({ method: 'POST', path, ...bodyOf(message, fetched?.file) }, attempt));
  }

  /** Takes the place of "thinking ...", which the slash command was acknowledged with. For 15 minutes; made twice, it is the same. */
  private answer(payload: PayloadOf<'post'>, token: string, file: OutboundFile | undefined, attempt: Attempt): Promise<Called> {
    const path = originalPath(this.options.applicationId, token);
    return this.call({ method: 'PATCH', path, ...bodyOf(messageOf(payload, file), file) }, attempt);
  }

  private async edit({ message, content, buttons, more }: PayloadOf<'edit'>, attempt: Attempt): Promise<SendOutcome> {
    if (more > 0)
      return {
        kind: 'refused',
        reason: `the new text needs ${more + 1} messages, and an edit is one: send the rest as a new message`,
      };
    const json = messageOf({ content, buttons }, undefined);
    return created(await this.call({ method: 'PATCH', path: messagePath(attempt.channel, message), json }, attempt));
  }

  private async remove(message: string, attempt: Attempt): Promise<SendOutcome> {
    if (!SNOWFLAKE.test(message)) return this.withdraw(message, attempt);
    const called = await this.call({ method: 'DELETE', path: messagePath(attempt.channel, message) }, attempt);
    return called.ok || called.code === UNKNOWN_MESSAGE ? { kind: 'sent', platformId: message } : called.outcome;
  }

  /** Takes "thinking ..." away: nothing is said. After 15 minutes Discord has done it itself. */
  private async withdraw(token: string, attempt: Attempt): Promise<SendOutcome> {
    const called = await this.call({ method: 'DELETE', path: originalPath(this.options.applicationId, token) }, attempt);
    return called.ok || isGone(called) ? { kind: 'sent', platformId: '@original' } : called.outcome;
  }

  private async react(message: string, emoji: string, attempt: Attempt): Promise<SendOutcome> {
    const called = await this.call({ method: 'PUT', path: reactionPath(attempt, message, emojiOf(emoji)) }, attempt);
    return called.ok ? { kind: 'sent', platformId: message } : called.outcome;
  }

  private async unreact(message: string, attempt: Attempt): Promise<SendOutcome> {
    const found = await this.call({ method: 'GET', path: messagePath(attempt.channel, message) }, attempt);
    if (!found.ok) return found.outcome;
    const own = (answerJson(found.answer, reactedSchema)?.reactions ?? []).filter(({ me }) => me);
    for (const { emoji } of own) {
      const name = [emoji.name, emoji.id].filter(Boolean).join(':');
      const called = await this.call({ method: 'DELETE', path: reactionPath(attempt, message, name) }, attempt);
      if (!called.ok) return called.outcome;
    }
    return { kind: 'sent', platformId: message };
  }

  private async showTyping({ conversation, thread = conversation }: Target, timeoutMs: number): Promise<void> {
    const budget = new TimeBudget(timeoutMs, this.options.clock);
    const path = `channels/${encodeURIComponent(thread)}/typing`;
    await this.options.api.call({ method: 'POST', path }, budget, AbortSignal.timeout(timeoutMs));
  }

  private call(call: DiscordCall, { budget, signal }: Attempt): Promise<Called> {
    return this.options.api.call(call, budget, signal);
  }
}

function reactionPath(attempt: Attempt, message: string, emoji: string): string {
  return `${messagePath(attempt.channel, message)}/reactions/${encodeURIComponent(emoji)}/@me`;
}

/** A sign as it is; a server's own emoji, `<:name:id>`, as its name and id. */
function emojiOf(emoji: string): string {
  return /^<a?:(\w+:\d+)>$/.exec(emoji)?.[1] ?? emoji;
}

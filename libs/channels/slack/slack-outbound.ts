import { z } from 'zod';
import type { Media, OutboxRow, Target } from '#contracts';
import { assertNever, type Clock } from '#kernel';
import type {
  Chunk,
  DownloadLimits,
  OutboundChannel,
  PreviewSign,
  RateScope,
  SendContext,
  SendOutcome,
} from '../channel-port.js';
import { TimeBudget } from '../time-budget.js';
import { reactionName } from './reaction-name.js';
import type { SlackApi } from './slack-api.js';
import { blocksOf, summaryOf } from './slack-blocks.js';
import { slackDescription } from './slack-description.js';
import type { SlackFiles } from './slack-files.js';
import { SlackPreview } from './slack-preview.js';
import { renderForSlack, slackPayloadSchema, type SlackPayload } from './slack-payload.js';

type PayloadOf<D extends SlackPayload['do']> = Extract<SlackPayload, { do: D }>;

const doneSchema = z.object({ ok: z.literal(true) });
const postedSchema = z.object({ ok: z.literal(true), ts: z.string() });
const reactionsSchema = z.object({
  ok: z.literal(true),
  message: z.object({ reactions: z.array(z.object({ name: z.string() })).default([]) }),
});

/** A message; and a file, which is a message of its own and known by the file's id. */
const TS = /^\d+\.\d+$/;
const FILE = /^F[A-Z0-9]+$/;

interface SlackOutboundOptions {
  api: SlackApi;
  files: SlackFiles;
  clock: Clock;
}

/** Where one send goes, and for how long it may take. */
interface Attempt {
  channel: string;
  /** As calls that post take it. */
  thread: { thread_ts?: string };
  budget: TimeBudget;
  signal: AbortSignal;
}

/** What one bot says in one workspace. */
export class SlackOutbound implements OutboundChannel {
  readonly capabilities = slackDescription.capabilities;
  readonly preview: PreviewSign;

  constructor(private readonly options: SlackOutboundOptions) {
    this.preview = new SlackPreview(options);
  }

  render(row: OutboxRow): Chunk[] {
    return renderForSlack(row);
  }

  /** "Generally allows posting one message per second per channel", https://docs.slack.dev/apis/web-api/rate-limits. */
  rates({ conversation }: Target): RateScope[] {
    return [{ scope: 'chat', key: conversation, count: 1, perMs: 1000 }];
  }

  async send(target: Target, chunk: Chunk, { timeoutMs }: SendContext, signal: AbortSignal): Promise<SendOutcome> {
    const { conversation: channel, thread = target.replyTo } = target;
    if (thread !== undefined && !TS.test(thread))
      return { kind: 'refused', reason: `"${thread}" is not the ts of a Slack message` };
    const attempt: Attempt = {
      channel,
      thread: thread === undefined ? {} : { thread_ts: thread },
      budget: new TimeBudget(timeoutMs, this.options.clock),
      signal,
    };
    return this.perform(slackPayloadSchema.parse(chunk.payload), attempt);
  }

  download(media: Media, limits: DownloadLimits, signal: AbortSignal) {
    return this.options.files.download(media, limits, signal);
  }

  private async perform(payload: SlackPayload, attempt: Attempt): Promise<SendOutcome> {
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
      case 'upload': {
        const comment = payload.comment === undefined ? {} : { initial_comment: payload.comment };
        const place = { channel_id: attempt.channel, ...attempt.thread, ...comment };
        return this.options.files.upload(payload.media, place, attempt.budget, attempt.signal);
      }
      default:
        return assertNever(payload);
    }
  }

  private async post({ mrkdwn, plain, buttons }: PayloadOf<'post'>, attempt: Attempt): Promise<SendOutcome> {
    const words = buttons.length === 0 ? { text: mrkdwn } : { text: summaryOf(plain), blocks: blocksOf(mrkdwn, buttons) };
    const args = { channel: attempt.channel, ...attempt.thread, ...words };
    const posted = await this.call('chat.postMessage', args, postedSchema, attempt);
    return posted.ok ? { kind: 'sent', platformId: posted.value.ts } : posted.outcome;
  }

  /** In blocks, since the bare text of an edit may have 4,000 bytes only. */
  private async edit(payload: PayloadOf<'edit'>, attempt: Attempt): Promise<SendOutcome> {
    const { message, mrkdwn, plain, buttons, more } = payload;
    if (more > 0)
      return {
        kind: 'refused',
        reason: `the new text needs ${more + 1} messages, and an edit is one: send the rest as a new message`,
      };
    if (!TS.test(message)) return { kind: 'refused', reason: `"${message}" is no message whose text can be changed` };
    const args = { channel: attempt.channel, ts: message, text: summaryOf(plain), blocks: blocksOf(mrkdwn, buttons) };
    return this.done('chat.update', args, { sent: message }, attempt);
  }

  /** What is still streamed is stopped first. */
  private async removeMessage(message: string, attempt: Attempt): Promise<SendOutcome> {
    const args = { channel: attempt.channel, ts: message };
    const remove = () => this.done('chat.delete', args, { sent: message, also: ['message_not_found'] }, attempt);
    const removed = await remove();
    if (removed.kind !== 'refused' || removed.reason !== 'streaming_state_conflict') return removed;
    const stopped = await this.done('chat.stopStream', args, { sent: message }, attempt);
    return stopped.kind === 'sent' ? remove() : stopped;
  }

  private remove(message: string, attempt: Attempt): Promise<SendOutcome> {
    if (FILE.test(message))
      return this.done('files.delete', { file: message }, { sent: message, also: ['file_not_found', 'file_deleted'] }, attempt);
    return this.removeMessage(message, attempt);
  }

  private async react(message: string, emoji: string, attempt: Attempt): Promise<SendOutcome> {
    const name = reactionName(emoji);
    if (name === undefined)
      return { kind: 'refused', reason: `Slack knows emoji by name (thumbsup, eyes, white_check_mark): "${emoji}" is none` };
    const args = { channel: attempt.channel, timestamp: message, name };
    return this.done('reactions.add', args, { sent: message, also: ['already_reacted'] }, attempt);
  }

  /** Slack takes back one reaction by its name; those of others stay, whatever is asked. */
  private async unreact(message: string, attempt: Attempt): Promise<SendOutcome> {
    const asked = new URLSearchParams({ channel: attempt.channel, timestamp: message });
    const found = await this.call('reactions.get', asked, reactionsSchema, attempt);
    if (!found.ok) return found.outcome;
    for (const { name } of found.value.message.reactions) {
      const args = { channel: attempt.channel, timestamp: message, name };
      const outcome = await this.done('reactions.remove', args, { sent: message, also: ['no_reaction'] }, attempt);
      if (outcome.kind !== 'sent') return outcome;
    }
    return { kind: 'sent', platformId: message };
  }

  /** A call after which something is so; `also`: errors that say that it was so already. */
  private async done(
    method: string,
    args: Record<string, unknown>,
    { sent, also = [] }: { sent: string; also?: readonly string[] },
    attempt: Attempt,
  ): Promise<SendOutcome> {
    const called = await this.call(method, args, doneSchema, attempt);
    const isSo = called.ok || (called.error !== undefined && also.includes(called.error));
    return isSo ? { kind: 'sent', platformId: sent } : called.outcome;
  }

  private call<T>(
    method: string,
    args: Record<string, unknown> | URLSearchParams,
    answer: z.ZodType<T>,
    { budget, signal }: Attempt,
  ) {
    return this.options.api.call({ method, args, answer }, budget, signal);
  }
}

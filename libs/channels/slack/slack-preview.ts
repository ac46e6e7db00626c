import { z } from 'zod';
import type { Target } from '#contracts';
import type { Clock } from '#kernel';
import type { Chunk, PreviewOutcome, PreviewSign, PreviewText, RateScope, SendContext, SendOutcome } from '../channel-port.js';
import { previewed } from '../previewed.js';
import { TimeBudget } from '../time-budget.js';
import type { Called, SlackApi } from './slack-api.js';
import { blocksOf, escapeSlack, summaryOf } from './slack-blocks.js';
import { slackDescription } from './slack-description.js';
import { rendered, slackPayloadSchema } from './slack-payload.js';

const postedSchema = z.object({ ok: z.literal(true), ts: z.string() });
const doneSchema = z.object({ ok: z.literal(true) });

const MAX_TEXT = slackDescription.capabilities.maxTextLength;
const MINUTE_MS = 60_000;

interface SlackPreviewOptions {
  api: SlackApi;
  clock: Clock;
}

/**
 * In a thread of a direct message a stream of Slack's own. Elsewhere a message that is edited: a stream in a channel wants one
 * recipient, and the others see no more than its beginning until it ends. https://docs.slack.dev/reference/methods/chat.startStream
 */
export class SlackPreview implements PreviewSign {
  constructor(private readonly options: SlackPreviewOptions) {}

  everyMs(target: Target): number {
    return isStreamed(target) ? 1_000 : 2_000;
  }

  /** chat.appendStream is of tier 4, chat.update of tier 3: so many calls a minute of one app in one workspace. */
  rates(target: Target): RateScope[] {
    const { scope, count } = isStreamed(target) ? { scope: 'appends', count: 100 } : { scope: 'updates', count: 50 };
    return [{ scope, key: '', count, perMs: MINUTE_MS }];
  }

  show(target: Target, text: PreviewText, timeoutMs: number, signal: AbortSignal): Promise<PreviewOutcome> {
    const limits = { budget: new TimeBudget(timeoutMs, this.options.clock), signal };
    return isStreamed(target) ? this.stream(target, text, limits) : this.edit(target, text, limits);
  }

  async replace(
    target: Target,
    message: string,
    { payload: rendering }: Chunk,
    { timeoutMs }: SendContext,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const payload = slackPayloadSchema.parse(rendering);
    if (payload.do !== 'post') return { kind: 'refused', reason: 'a file takes no place of a text' };
    const limits = { budget: new TimeBudget(timeoutMs, this.options.clock), signal };
    const { conversation: channel } = target;
    if (isStreamed(target)) {
      const stopped = await this.call('chat.stopStream', { channel, ts: message }, doneSchema, limits);
      // Anything else is a stream that Slack has ended, or a message that is gone: the edit tells.
      if (!stopped.ok && stopped.outcome.kind !== 'refused') return stopped.outcome;
    }
    const { mrkdwn, plain, buttons } = payload;
    const words = { text: summaryOf(plain), blocks: blocksOf(mrkdwn, buttons) };
    const edited = await this.call('chat.update', { channel, ts: message, ...words }, doneSchema, limits);
    return sent(edited, message);
  }

  /** Only what is new is sent, as the model writes it. */
  private async stream(
    { conversation: channel, thread }: Target,
    { text, shown }: PreviewText,
    limits: Limits,
  ): Promise<PreviewOutcome> {
    const whole = cut(text);
    if (!shown) {
      const args = { channel, thread_ts: thread, markdown_text: escapeSlack(whole) };
      return previewed(posted(await this.call('chat.startStream', args, postedSchema, limits)));
    }
    const { message, text: before } = shown;
    if (before === undefined || !whole.startsWith(cut(before))) return { kind: 'over' };
    const more = whole.slice(cut(before).length);
    if (more === '') return { kind: 'over' };
    const args = { channel, ts: message, markdown_text: escapeSlack(more) };
    return previewed(sent(await this.call('chat.appendStream', args, doneSchema, limits), message));
  }

  private async edit(
    { conversation: channel, replyTo, thread = replyTo }: Target,
    { text, shown }: PreviewText,
    limits: Limits,
  ): Promise<PreviewOutcome> {
    const [words] = rendered(text);
    if (!words) return { kind: 'over' };
    const content = { channel, text: summaryOf(words.text), blocks: blocksOf(words.body, []) };
    if (!shown)
      return previewed(
        posted(await this.call('chat.postMessage', { ...content, ...(thread && { thread_ts: thread }) }, postedSchema, limits)),
      );
    const { message } = shown;
    return previewed(sent(await this.call('chat.update', { ...content, ts: message }, doneSchema, limits), message));
  }

  private call<T>(method: string, args: Record<string, unknown>, answer: z.ZodType<T>, { budget, signal }: Limits) {
    return this.options.api.call({ method, args, answer }, budget, signal);
  }
}

interface Limits {
  budget: TimeBudget;
  signal: AbortSignal;
}

/** Direct messages have ids that begin with D; a stream there is always the answer in a thread. */
function isStreamed({ conversation, thread }: Target): boolean {
  return thread !== undefined && conversation.startsWith('D');
}

/** As much as the first message of the answer holds, whole characters. */
function cut(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '');
}

function sent(called: Called<unknown>, message: string): SendOutcome {
  return called.ok ? { kind: 'sent', platformId: message } : called.outcome;
}

function posted(called: Called<{ ts: string }>): SendOutcome {
  return called.ok ? { kind: 'sent', platformId: called.value.ts } : called.outcome;
}

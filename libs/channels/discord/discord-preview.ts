import type { Target } from '#contracts';
import type { Clock } from '#kernel';
import type { Chunk, PreviewOutcome, PreviewSign, PreviewText, SendContext, SendOutcome } from '../channel-port.js';
import { previewed } from '../previewed.js';
import { TimeBudget } from '../time-budget.js';
import type { DiscordApi, DiscordCall } from './discord-api.js';
import { created, isInteraction, messagePath, originalPath, SNOWFLAKE } from './discord-calls.js';
import { messageOf } from './discord-message.js';
import { discordPayloadSchema, rendered } from './discord-payload.js';

interface DiscordPreviewOptions {
  api: DiscordApi;
  applicationId: string;
  clock: Clock;
}

/** A message that is edited; of a slash command its answer, which "thinking ..." becomes. */
export class DiscordPreview implements PreviewSign {
  constructor(private readonly options: DiscordPreviewOptions) {}

  /** About 5 requests in 5 s are allowed in a channel, of which previews get half. */
  everyMs(): number {
    return 1_500;
  }

  async show(
    { conversation, thread: channel = conversation, replyTo }: Target,
    { text, hasSent, shown }: PreviewText,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<PreviewOutcome> {
    const [words] = rendered(text);
    if (!words) return { kind: 'over' };
    const json = messageOf({ content: words.body, buttons: [] }, undefined);
    const isAnswer = isInteraction(replyTo);
    if (isAnswer && !hasSent) {
      const path = originalPath(this.options.applicationId, replyTo);
      const outcome = previewed(await this.call({ method: 'PATCH', path, json }, timeoutMs, signal));
      // The first row of the turn takes its place in any case.
      return outcome.kind === 'shown' ? { kind: 'shown' } : outcome;
    }
    if (shown)
      return previewed(await this.call({ method: 'PATCH', path: messagePath(channel, shown.message), json }, timeoutMs, signal));
    const reference = replyTo !== undefined &&
      !isAnswer && { message_reference: { message_id: replyTo, fail_if_not_exists: false } };
    const call = { method: 'POST', path: `channels/${channel}/messages`, json: { ...json, ...reference } } as const;
    return SNOWFLAKE.test(channel) ? previewed(await this.call(call, timeoutMs, signal)) : { kind: 'over' };
  }

  async replace(
    { conversation, thread: channel = conversation }: Target,
    message: string,
    { payload: rendering }: Chunk,
    { timeoutMs }: SendContext,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const payload = discordPayloadSchema.parse(rendering);
    if (payload.do !== 'post' || payload.file) return { kind: 'refused', reason: 'a file takes no place of a text' };
    const call = { method: 'PATCH', path: messagePath(channel, message), json: messageOf(payload, undefined) } as const;
    return this.call(call, timeoutMs, signal);
  }

  private async call(call: DiscordCall, timeoutMs: number, signal: AbortSignal): Promise<SendOutcome> {
    return created(await this.options.api.call(call, new TimeBudget(timeoutMs, this.options.clock), signal));
  }
}

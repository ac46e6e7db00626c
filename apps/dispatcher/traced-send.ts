import type { SendOutcome } from '#channels';
import type { Target } from '#contracts';
import { channelSpan, inSpan } from '#telemetry';

/** What the platform said is content, and may hold a token: the span has the class of the outcome. */
export function tracedSend({ channel }: Target, work: () => Promise<SendOutcome>): Promise<SendOutcome> {
  return inSpan(channelSpan(channel), async (span) => {
    const outcome = await work();
    if (outcome.kind !== 'sent') span.fail(outcome.kind);
    return outcome;
  });
}

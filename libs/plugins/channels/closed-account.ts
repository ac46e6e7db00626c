import { TEXT_ONLY, type ChannelAccount } from '#channels';
import type { PluginAccount } from '#config';
import { UnavailableError } from '#kernel';

/** Asked again then; like a platform that says so, and so it counts as no failed try. */
const AGAIN_MS = 15_000;

/** Stands for an account whose plugin does not work in this process: nothing is sent, nothing is lost, and the platform is asked to come again. */
export function closedAccount({ channel, account, rates }: PluginAccount, why: string): ChannelAccount {
  return {
    channel,
    account,
    ...(rates && { rates }),
    description: { name: channel, title: channel, capabilities: TEXT_ONLY, dedupeId: '', retryWindowMs: 0, notes: [why] },
    inbound: {
      verify() {
        throw new UnavailableError(why);
      },
      parse: () => [],
    },
    outbound: {
      capabilities: TEXT_ONLY,
      // Never stored: one chunk alone is rendered again by whoever can.
      render: ({ text }) => [{ text, payload: {} }],
      send: async () => ({ kind: 'retry', reason: why, retryAfterMs: AGAIN_MS }),
    },
  };
}

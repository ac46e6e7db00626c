import type { ChannelAccount, ChannelCapabilities } from '#channels';
import type { PluginAccount } from '#config';
import { UnavailableError } from '#kernel';

const NOTHING: ChannelCapabilities = {
  immediateSend: true,
  batch: false,
  dedupe: false,
  threads: false,
  reply: false,
  edit: false,
  delete: false,
  react: false,
  buttons: 0,
  media: [],
  mediaIn: [],
  typing: false,
  stream: 'none',
  maxTextLength: 4000,
  lengthUnit: 'utf16',
};

/** Stands for an account whose plugin does not work in this process: nothing is sent, nothing is lost, and the platform is asked to come again. */
export function closedAccount({ channel, account, rates }: PluginAccount, why: string): ChannelAccount {
  return {
    channel,
    account,
    ...(rates && { rates }),
    description: { name: channel, title: channel, capabilities: NOTHING, dedupeId: '', retryWindowMs: 0, notes: [why] },
    inbound: {
      verify() {
        throw new UnavailableError(why);
      },
      parse: () => [],
    },
    outbound: {
      capabilities: NOTHING,
      // Never stored: one chunk alone is rendered again by whoever can.
      render: ({ text }) => [{ text, payload: {} }],
      send: async () => ({ kind: 'retry', reason: why }),
    },
  };
}

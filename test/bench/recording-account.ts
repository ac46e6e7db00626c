import { webhookAccount, type ChannelAccount } from '#channels';
import { ACCOUNT, CHANNEL, numberIn } from './bench-message.js';
import type { BenchProcess } from './bench-process.js';

/** Renders as the generic webhook does (Markdown as it came, cut to its limit); takes every message at once, inside the process. */
export function recordingAccount(bench: BenchProcess): ChannelAccount {
  const { description, outbound: webhook } = webhookAccount({ account: ACCOUNT, secret: 'never used: nothing is posted' });
  return {
    channel: CHANNEL,
    account: ACCOUNT,
    description,
    outbound: {
      capabilities: webhook.capabilities,
      render: (row) => webhook.render(row),
      async send(_target, chunk, { idempotencyKey }) {
        await bench.gate();
        bench.mark('channel', numberIn(chunk.text));
        bench.handled++;
        return { kind: 'sent', platformId: idempotencyKey };
      },
    },
  };
}

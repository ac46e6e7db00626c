import type { ChannelAccount, InboundChannel, OutboundChannel, SendOutcome } from '#channels';
import { inboundEventSchema } from '#contracts';
import { describeError, raceSignal } from '#kernel';
import { inPlugin } from '../plugin-scope.js';

/** In the payload of what its channel could not render: why. */
const UNRENDERED = 'turnpike.unrendered';

/**
 * An account whose code is a plugin's: it runs as that plugin's, and what it throws or never ends is what the contract has for it
 * (libs/channels/channel-port.ts). A send that threw may have arrived.
 */
export function guardedAccount(plugin: string, account: ChannelAccount): ChannelAccount {
  const { inbound, outbound } = account;
  return {
    ...account,
    outbound: guardedOutbound(plugin, outbound),
    ...(inbound && { inbound: guardedInbound(plugin, inbound, account) }),
  };
}

function guardedOutbound(plugin: string, outbound: OutboundChannel): OutboundChannel {
  const within = <T>(run: () => T): T => inPlugin(plugin, undefined, run);
  const { typing, rates, download } = outbound;
  return {
    capabilities: outbound.capabilities,
    render(row) {
      try {
        return within(() => outbound.render(row));
      } catch (error) {
        return [{ text: row.text, payload: { [UNRENDERED]: describeError(error) } }];
      }
    },
    async send(target, chunk, context, signal): Promise<SendOutcome> {
      const unrendered = chunk.payload[UNRENDERED];
      if (typeof unrendered === 'string') return { kind: 'refused', reason: `it could not be rendered: ${unrendered}` };
      const late = AbortSignal.timeout(context.timeoutMs);
      try {
        return await raceSignal(
          within(async () => outbound.send(target, chunk, context, signal)),
          late,
        );
      } catch (error) {
        return { kind: 'unknown', reason: late.aborted ? 'it did not answer in time' : describeError(error) };
      }
    },
    ...(typing && { typing: { lastsMs: typing.lastsMs, show: (...at) => within(async () => typing.show(...at)) } }),
    ...(rates && { rates: (target) => within(() => rates.call(outbound, target)) }),
    ...(download && { download: (...of) => within(async () => download.apply(outbound, of)) }),
  };
}

/** Whatever an event says of where it came from, it came to this account; one of another shape is a fault of the plugin, and comes again. */
function guardedInbound(plugin: string, inbound: InboundChannel, { channel, account }: ChannelAccount): InboundChannel {
  const within = <T>(run: () => T): T => inPlugin(plugin, undefined, run);
  const { handshake, acknowledgement, reports } = inbound;
  return {
    verify: (request) => within(() => inbound.verify(request)),
    parse: (request) =>
      within(() => inbound.parse(request)).map((event) => ({ ...inboundEventSchema.parse(event), channel, account })),
    ...(handshake && { handshake: (request) => within(() => handshake.call(inbound, request)) }),
    ...(acknowledgement && { acknowledgement: (request) => within(() => acknowledgement.call(inbound, request)) }),
    ...(reports && { reports: (request) => within(() => reports.call(inbound, request)) }),
  };
}

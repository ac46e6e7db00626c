import type { Target } from '#contracts';
import { TerminalError } from '#kernel';
import type { ChannelAccount, OutboundChannel, PreviewSign, RateScope } from './channel-port.js';

/** An account that takes webhooks. */
export type InboundAccount = ChannelAccount & Required<Pick<ChannelAccount, 'inbound'>>;

/** The configured accounts of this process, by channel AND account: two bots of one channel are two places (trap T4). */
export class ChannelRegistry {
  private readonly accounts = new Map<string, ChannelAccount>();

  /** @throws TerminalError `duplicate_channel_account` */
  constructor(accounts: readonly ChannelAccount[]) {
    for (const account of accounts) {
      const key = keyOf(account);
      if (this.accounts.has(key)) {
        throw new TerminalError(
          'duplicate_channel_account',
          `${nameOf(account)} is configured twice: give one of them another name`,
        );
      }
      this.accounts.set(key, account);
    }
  }

  find(channel: string, account: string): ChannelAccount | undefined {
    return this.accounts.get(keyOf({ channel, account }));
  }

  /** @throws TerminalError `unknown_channel_account` */
  outbound(target: Place): OutboundChannel {
    const found = this.accounts.get(keyOf(target));
    if (found) return found.outbound;
    throw new TerminalError(
      'unknown_channel_account',
      `${nameOf(target)} is not configured here: add it, or bind the session to another`,
    );
  }

  /** What limits sends to a target, widest first, as its account is allowed; an account that is not configured sends nothing. */
  rates(target: Target): RateScope[] {
    const { outbound, rates: granted = {} } = this.accounts.get(keyOf(target)) ?? {};
    return (outbound?.rates?.(target) ?? []).map((rate) => ({ ...rate, ...granted[rate.scope] }));
  }

  /** How answers show there while they are written; undefined: not at all. */
  preview({ channel, account }: Place): PreviewSign | undefined {
    const found = this.find(channel, account);
    return found?.streams ? found.outbound.preview : undefined;
  }

  all(): ChannelAccount[] {
    return [...this.accounts.values()];
  }

  inbound(): InboundAccount[] {
    return this.all().filter((account): account is InboundAccount => account.inbound !== undefined);
  }
}

type Place = Pick<Target, 'channel' | 'account'>;

const keyOf = ({ channel, account }: Place): string => JSON.stringify([channel, account]);
const nameOf = ({ channel, account }: Place): string => `Account "${account}" of channel "${channel}"`;

import type { ConversationKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import type { Claim } from './claim.js';

/** At most `count` sends reach the platform in any `perMs`, of all that share scope and key on one account. */
export interface SendRate {
  /** What a platform's 429 may name: bot, chat, group, pair ... */
  scope: string;
  /** Tells the rates of one scope apart; '' where there is one. */
  key: string;
  count: number;
  perMs: number;
}

/** What limits the sends of one conversation; no rates: nothing does. */
export interface SendLimits {
  channel: string;
  account: string;
  /** Widest first. */
  rates: readonly SendRate[];
  /** How long after its permit a request may still arrive, ms: the life of a claim that is not confirmed, and the time a request may take. */
  flightMs: number;
}

/** The platform wants nothing more in this scope (absent: the narrowest) for `ms`. */
export interface SendPause {
  scope?: string | undefined;
  ms: number;
}

/** What goes behind the keys and arguments of a script that ends in rates.lua's `permit`. */
export interface PermitRequest {
  keys: readonly string[];
  args: readonly (string | number)[];
}

/** Nothing is asked for, nothing given back. */
export const NO_PERMIT: PermitRequest = { keys: [], args: ['', '', 0, '', 0, 0] };

const permitScript = loadScript(import.meta.dirname, 'send-permit', 'time', 'rates');

/**
 * The permits of one claim, at most one in hand: asked for before each send, given back with whatever is written next. Where
 * account and conversation share a slot the scripts of the conversation do both along, and no round trip is added.
 */
export class SendPermits {
  private readonly keys: readonly string[];
  /** Fences of two buckets may be equal. */
  private readonly holder: string;
  private readonly inSlot: boolean;
  private inHand = '';
  private issued = 0;

  constructor(
    private readonly redis: RedisClient,
    keyspace: Keyspace,
    private readonly claim: Claim<ConversationKey>,
    private readonly limits: SendLimits,
  ) {
    const { channel, account, rates } = limits;
    this.keys = rates.map(({ scope, key }) => keyspace.sendRate(channel, account, `${scope}:${key}`));
    const bucket = keyspace.bucketOf(claim.key);
    this.holder = `${bucket}/${claim.fence}`;
    this.inSlot = keyspace.accountBucket(channel, account) === bucket;
  }

  /** Whether the scripts of the conversation reach the rates. */
  private get rideAlong(): boolean {
    return this.inSlot || this.keys.length === 0;
  }

  /** Gives back what is in hand and asks for the next permit, in the script of `call` or in the same flight. */
  async next<T extends { waitMs: number }>(call: (along: PermitRequest) => Promise<T>): Promise<T> {
    const request = this.ask();
    if (this.rideAlong) return this.heard(request, await call(request));
    const [answer, waitMs] = await Promise.all([call(NO_PERMIT), this.apart(request)]);
    return this.heard(request, { ...answer, waitMs: answer.waitMs || waitMs });
  }

  /** Asks in the script of `call`; elsewhere behind it, when `isNeeded` by what it answered. */
  async first<T extends { waitMs: number }>(
    call: (along: PermitRequest) => Promise<T>,
    isNeeded: (answer: T) => boolean,
  ): Promise<T> {
    const request = this.ask();
    if (this.rideAlong) return this.heard(request, await call(request));
    const answer = await call(NO_PERMIT);
    return isNeeded(answer) ? this.heard(request, { ...answer, waitMs: await this.apart(request) }) : answer;
  }

  /** Gives back what is in hand, in the script of `call` or in the same flight. */
  async giveBack<T>(call: (along: PermitRequest) => Promise<T>, pause?: SendPause): Promise<T> {
    const request = this.request('', pause);
    const isIdle = this.inHand === '' && !pause;
    this.inHand = '';
    if (this.rideAlong || isIdle) return call(this.rideAlong ? request : NO_PERMIT);
    const [answer] = await Promise.all([call(NO_PERMIT), this.apart(request)]);
    return answer;
  }

  private ask(): PermitRequest & { permit: string } {
    const permit = `${this.holder}/${++this.issued}`;
    return { permit, ...this.request(permit) };
  }

  private heard<T extends { waitMs: number }>({ permit }: { permit: string }, answer: T): T {
    this.inHand = answer.waitMs > 0 ? '' : permit;
    return answer;
  }

  private request(asked: string, pause?: SendPause): PermitRequest {
    const { rates, flightMs } = this.limits;
    const named = pause && rates.findIndex(({ scope }) => scope === pause.scope) + 1;
    const paused = pause ? [named || rates.length, Math.ceil(pause.ms)] : [0, 0];
    const sizes = rates.flatMap(({ count, perMs }) => [count, perMs]);
    return { keys: this.keys, args: [asked, this.inHand, flightMs, this.claim.key, ...paused, ...sizes] };
  }

  private async apart({ keys, args }: PermitRequest): Promise<number> {
    return Number(await permitScript.run(this.redis, keys, args));
  }
}

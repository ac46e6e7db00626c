import type { ConversationKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';

/** For the talk of one bot with us in one conversation, over all replicas. */
export interface BotBudget {
  /** Messages of the bot in `windowMs`; then it is not heard for `pauseMs`. */
  most: number;
  windowMs: number;
  pauseMs: number;
  /** Messages of bots in a conversation before a person has to say something, or nobody anything for `silenceMs`. */
  mostInRow: number;
  silenceMs: number;
}

const BUDGET: BotBudget = { most: 20, windowMs: 60_000, pauseMs: 60_000, mostInRow: 30, silenceMs: 3_600_000 };

const chargeScript = loadScript(import.meta.dirname, 'charge-bot', 'time');

/** Keeps two bots from talking for ever (B073). Rejects like the connection does. */
export class BotLoopGuard {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    private readonly budget: BotBudget = BUDGET,
  ) {}

  /** @returns `ends`: for the first event that is not heard; the same event always gets the same answer */
  async charge(conversation: ConversationKey, bot: string, event: string): Promise<'left' | 'ends' | 'spent'> {
    const { most, windowMs, pauseMs, mostInRow, silenceMs } = this.budget;
    const pair = `${conversation}:${bot}`;
    const keys = [this.key('window', pair), this.key('row', conversation), this.key('pause', pair)];
    const args = [event, most, windowMs, pauseMs, mostInRow, silenceMs];
    return (await chargeScript.run(this.redis, keys, args)) as 'left' | 'ends' | 'spent';
  }

  /** A person said something: bots may talk again. */
  async reset(conversation: ConversationKey): Promise<void> {
    await this.redis.del(this.key('row', conversation));
  }

  private key(what: string, of: string): string {
    return this.keyspace.access(`bot-${what}:${of}`);
  }
}

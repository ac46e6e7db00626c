import type { OutboxRow, Target } from '#contracts';
import type { Platform } from '#host';
import { messageId, outboxRowId, turnIdOf } from '#kernel';
import { startTelegramServer, type TelegramServer } from './fakes/telegram-server.js';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet } from './harness/fleet.js';
import { openPlatform, sessionOf } from './harness/mail.js';
import { startRedis, type RedisServer } from './redis-server.js';

const WEBHOOK_SECRET = 'a-webhook-secret-of-the-test';

/** Dispatchers and platforms, without turns: what a session would send is put into the conversations by hand. */
export class DeliveryWorld {
  private turns = 0;

  private constructor(
    readonly redis: RedisServer,
    /** Behind the Telegram account `bot`. */
    readonly telegram: TelegramServer,
    /** Behind the webhook account of the same name. */
    readonly dedupe: WebhookReceiver,
    readonly plain: WebhookReceiver,
    readonly fleet: Fleet,
    readonly platform: Platform,
  ) {}

  /** @param config merged over the accounts. No process is started yet. */
  static async open({ config = {}, bot = {} }: { config?: Record<string, unknown>; bot?: object } = {}): Promise<DeliveryWorld> {
    const [redis, telegram, dedupe, plain] = await Promise.all([
      startRedis(),
      startTelegramServer(),
      startWebhookReceiver({ dedupe: true }),
      startWebhookReceiver({ dedupe: false }),
    ]);
    const hook = (receiver: WebhookReceiver, more: object) => ({ secret: WEBHOOK_SECRET, outboundUrl: receiver.url, ...more });
    const accounts = {
      telegram: { bot: { botToken: '700001:bot', secretToken: 'a-telegram-secret-token', apiRoot: telegram.url, ...bot } },
      webhook: { dedupe: hook(dedupe, {}), plain: hook(plain, { dedupe: false, maxTextLength: 100 }) },
    };
    const channels = Object.fromEntries(Object.entries(accounts).map(([name, each]) => [name, { accounts: each }]));
    const [modelUrl, toolUrl] = ['http://127.0.0.1:9', 'http://127.0.0.1:9'];
    const fleet = new Fleet({ redisUrl: redis.url, modelUrl, toolUrl, config: { channels, ...config } });
    return new DeliveryWorld(redis, telegram, dedupe, plain, fleet, await openPlatform(fleet.configPath));
  }

  async close(): Promise<void> {
    await this.fleet.close();
    await Promise.all([this.platform.close(), this.telegram.close(), this.dedupe.close(), this.plain.close()]);
    await this.redis.stop();
  }

  /** Rows of a turn that nobody ran. @param texts one each */
  rowsTo(target: Target, texts: readonly string[], more: Partial<OutboxRow> = {}): OutboxRow[] {
    const turn = turnIdOf(messageId({ ...target, kind: 'message', platformId: String(++this.turns) }), 0);
    const session = sessionOf(target.conversation, target.channel, target.account);
    const base = { v: 1, tenant: 'default', session, turn, mode: 'final', fellBack: false, target, at: 0, ...more } as const;
    return texts.map((text, index) => ({ ...base, id: outboxRowId(turn, index + 1), n: index + 1, text }));
  }

  /** Resolves when they wait in their conversation. */
  async relay(rows: readonly OutboxRow[]): Promise<void> {
    await this.platform.relay.relay(rows.map((row) => ({ row, number: 0 })));
  }

  async send(target: Target, ...texts: string[]): Promise<OutboxRow[]> {
    const rows = this.rowsTo(target, texts);
    await this.relay(rows);
    return rows;
  }
}

export const telegramTo = (conversation: string): Target => ({ channel: 'telegram', account: 'bot', conversation });
export const webhookTo = (account: 'dedupe' | 'plain', conversation: string): Target => ({
  channel: 'generic',
  account,
  conversation,
});

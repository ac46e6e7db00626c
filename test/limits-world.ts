import type { TurnRecord } from '#contracts';
import { limitsSchema, type LimitsConfig } from '#config';
import type { Platform } from '#host';
import type { AgentId, SessionKey, TenantId } from '#kernel';
import { sessionKey } from '#routing';
import type { z } from 'zod';
import type { ModelScript } from './fakes/model-server.js';
import { Fleet } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { ACCEPT, envelopeOf, openPlatform } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { startRedis, type RedisServer } from './redis-server.js';

const MODEL_MS = 150;
/** Some of the model's time passes before the first byte and after the last. */
const TOGETHER_MS = MODEL_MS - 20;

interface Options {
  runners: number;
  /** Each has an agent `main`, and those named here. */
  tenants: readonly string[];
  agents?: Record<string, object>;
  limits: z.input<typeof limitsSchema>;
  /** A script for some questions; else an answer that takes MODEL_MS. */
  script?: (about: string) => ModelScript | undefined;
}

/** Runner processes under limits, counted from outside, at the model. Messages are `<tenant>/<conversation>/<n>`. */
export class LimitsWorld {
  /** When the model was asked, ms. */
  asked: { at: number; about: string }[] = [];

  private constructor(
    private readonly redis: RedisServer,
    private readonly judge: Judge,
    readonly fleet: Fleet,
    readonly platform: Platform,
  ) {}

  static async start({ runners, tenants, agents = {}, limits, script }: Options): Promise<LimitsWorld> {
    const redis = await startRedis();
    const judge = await Judge.start({
      override: ({ at, about }) => {
        world.asked.push({ at, about });
        return script?.(about) ?? { text: 'done', delayMs: MODEL_MS };
      },
    });
    const all = Object.fromEntries(
      Object.entries({ main: {}, ...agents }).map(([id, agent]) => [id, { model: 'openai/judge', ...agent }]),
    );
    const fleet = new Fleet({
      redisUrl: redis.url,
      modelUrl: judge.modelUrl,
      toolUrl: judge.toolUrl,
      config: {
        lanes: { sweepMs: 1000 },
        limits,
        tenants: Object.fromEntries(
          tenants.map((id) => [id, { agents: all, defaultAgent: 'main', session: { queue: { cap: 0 } } }]),
        ),
      },
    });
    const world = new LimitsWorld(redis, judge, fleet, await openPlatform(fleet.configPath));
    await fleet.start('runner', runners);
    return world;
  }

  async close(): Promise<void> {
    await this.fleet.close();
    await this.platform.close();
    await this.judge.close();
    await this.redis.stop();
  }

  setLimits(limits: z.input<typeof limitsSchema>): Promise<LimitsConfig> {
    return this.platform.limits.change(() => limitsSchema.parse(limits));
  }

  async accept(tenant: string, conversation: string, n = 1, agent = 'main'): Promise<void> {
    // A message is known by its chat: no two tenants share one.
    const target = { ...targetOf(`${tenant}-${conversation}`), channel: 'webchat', account: 'default' };
    const envelope = envelopeOf(target, n, `${tenant}/${conversation}/${n}`);
    const session = sessionIn(tenant, conversation, agent);
    const addressed = { ...envelope, tenant: tenant as TenantId, agent: agent as AgentId, session };
    await this.platform.sessions.accept(addressed, ACCEPT);
  }

  /** One message each to so many sessions. */
  async acceptMany(tenant: string, count: number, agent = 'main'): Promise<void> {
    await Promise.all(Array.from({ length: count }, (_, n) => this.accept(tenant, `${agent}-${n}`, 1, agent)));
  }

  turns(tenant: string, conversation: string, agent = 'main'): Promise<TurnRecord[]> {
    return this.platform.sessions.transcript(sessionIn(tenant, conversation, agent), 99);
  }

  /** Sessions have ended so many turns each (deliveries wait for a dispatcher, which is not part of this). */
  async ended(tenant: string, conversations: readonly string[], turns = 1, agent = 'main'): Promise<void> {
    await waitUntil(
      `every turn of ${tenant} has ended`,
      async () => (await Promise.all(conversations.map((name) => this.turns(tenant, name, agent)))).map(({ length }) => length),
      (seen) => seen.every((count) => count === turns),
    );
  }

  async manyEnded(tenant: string, count: number, agent = 'main'): Promise<void> {
    await this.ended(
      tenant,
      Array.from({ length: count }, (_, n) => `${agent}-${n}`),
      1,
      agent,
    );
  }

  async hasAsked(count: number): Promise<void> {
    await waitUntil(
      `the model was asked ${count} times`,
      () => this.asked.length,
      (seen) => seen >= count,
    );
  }

  /** Most questions begun within any `ms`: with answers at least as long, all of them were in the model together. */
  most(prefix = '', ms = TOGETHER_MS): number {
    const times = this.asked.filter(({ about }) => about.startsWith(prefix)).map(({ at }) => at);
    return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + ms).length));
  }
}

function sessionIn(tenant: string, conversation: string, agent = 'main'): SessionKey {
  return sessionKey({
    tenant: tenant as TenantId,
    agent: agent as AgentId,
    channel: 'webchat',
    account: 'default',
    chatType: 'direct',
    conversation,
  });
}

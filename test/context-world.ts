import type { TurnRecord } from '#contracts';
import type { Platform } from '#host';
import type { SessionKey } from '#kernel';
import { lastSaid } from './fakes/last-said.js';
import { startModelServer, type ModelScript, type ModelServer, type ModelServerRequest } from './fakes/model-server.js';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet } from './harness/fleet.js';
import { ACCEPT, envelopeOf, openPlatform, sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { startRedis, type RedisServer } from './redis-server.js';

/** Characters the model of this world takes in one request: about 4,000 tokens. Its name says 32,768. */
const REAL_WINDOW = 16_000;
const SUMMARY = '## Facts and decisions\nnone\n## Open asks\nnone\n## Identifiers\nnone\n## State\n';

export interface ContextWorldOptions {
  config?: Record<string, unknown>;
  /** An answer for some questions, instead of the usual one. */
  answer?: (question: {
    request: ModelServerRequest;
    about: string;
    summary: boolean;
  }) => ModelScript | undefined | Promise<ModelScript | undefined>;
}

/** Real processes before a model with a small window, which validates its requests as strictly as the strictest provider. */
export class ContextWorld implements AsyncDisposable {
  /** What the model was asked for: the text of the last user message, or `summary`, or `refused`. */
  readonly asked: string[] = [];
  /** Broken pairs of calls and results, over all requests: must stay empty. */
  readonly invalid: string[] = [];
  readonly requests: ModelServerRequest[] = [];
  private summaries = 0;
  private constructor(
    private readonly redis: RedisServer,
    private readonly model: ModelServer,
    readonly channel: WebhookReceiver,
    readonly fleet: Fleet,
    readonly platform: Platform,
  ) {}

  static async start({ config = {}, answer }: ContextWorldOptions = {}): Promise<ContextWorld> {
    const redis = await startRedis();
    const channel = await startWebhookReceiver({ dedupe: true });
    const model = await startModelServer({ answer: (request) => world.answer(request, answer) });
    const accounts = { dedupe: { secret: 'a-test-webhook-secret', outboundUrl: channel.url, dedupe: true } };
    const fleet = new Fleet({
      redisUrl: redis.url,
      modelUrl: model.baseUrl,
      toolUrl: '',
      config: {
        lanes: { lockMs: 1000, stalledCheckMs: 250, deliveries: { requestTimeoutMs: 400 } },
        channels: { webhook: { accounts } },
        ...config,
      },
    });
    const platform = await openPlatform(fleet.configPath);
    const world = new ContextWorld(redis, model, channel, fleet, platform);
    await Promise.all([fleet.start('runner', 2), fleet.start('dispatcher', 1)]);
    return world;
  }

  /** The `n`-th message of a conversation. */
  async say(conversation: string, n: number, text: string): Promise<void> {
    await this.platform.sessions.accept(envelopeOf({ channel: 'generic', account: 'dedupe', conversation }, n, text), ACCEPT);
  }

  /** The record of the `n`-th message, once there is one. */
  async ended(conversation: string, n: number): Promise<TurnRecord> {
    const records = await waitUntil(
      `${conversation}/${n} has ended`,
      () => this.transcript(conversation),
      (seen) => seen.length >= n,
    );
    const record = records[n - 1];
    if (!record) throw new Error(`${conversation} has no record ${n}`);
    return record;
  }

  /** A conversation of `turns` turns, each answered with 3,000 characters. */
  async fill(conversation: string, turns: number): Promise<void> {
    for (let n = 1; n <= turns; n++) {
      await this.say(conversation, n, `${conversation} fill ${n}`);
      await this.ended(conversation, n);
    }
  }

  transcript(conversation: string): Promise<TurnRecord[]> {
    return this.platform.sessions.transcript(sessionOf(conversation), 1000);
  }

  idle(conversation: string): Promise<unknown> {
    const session: SessionKey = sessionOf(conversation);
    return waitUntil(
      `${conversation} is idle`,
      async () => [await this.platform.sessions.state(session), await this.platform.busy.list('turns', 10)] as const,
      ([{ waiting, running }, busy]) => waiting === 0 && running === undefined && busy.length === 0,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fleet.close();
    await this.platform.close();
    await Promise.all([this.model.close(), this.channel.close()]);
    await this.redis.stop();
  }

  private async answer(request: ModelServerRequest, scripted: ContextWorldOptions['answer']): Promise<ModelScript> {
    const { text: about } = lastSaid(request);
    const summary = String(request.messages[0]?.content).startsWith('You summarise');
    this.requests.push(request);
    this.invalid.push(...brokenPairs(request));
    if (JSON.stringify(request.messages).length > REAL_WINDOW) {
      this.asked.push('refused');
      return { status: 400, errorCode: 'context_length_exceeded' };
    }
    this.asked.push(summary ? 'summary' : about);
    const own = await scripted?.({ request, about, summary });
    if (own) return own;
    if (summary) return { text: `${SUMMARY}summary ${++this.summaries}` };
    return { text: about.includes(' fill ') ? `answer to ${about} ${'z'.repeat(3000)}` : `answer to ${about}` };
  }
}

function brokenPairs({ messages }: ModelServerRequest): string[] {
  const broken: string[] = [];
  let open = new Set<string>();
  for (const { role, tool_calls: calls = [], tool_call_id: id = '' } of messages) {
    if (role === 'tool') {
      if (!open.delete(id)) broken.push(`the result ${id} has no call`);
      continue;
    }
    broken.push(...[...open].map((call) => `the call ${call} has no result`));
    open = new Set(calls.map((call) => call.id));
  }
  return [...broken, ...[...open].map((call) => `the call ${call} has no result`)];
}

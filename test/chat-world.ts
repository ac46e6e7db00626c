import { UNPACED } from './harness/unpaced.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import type { Envelope, Target, TurnRecord } from '#contracts';
import { ControlPublisher, type Platform } from '#host';
import type { AgentId, SessionKey } from '#kernel';
import { sessionKey } from '#routing';
import { createLogger, LOG_LINES } from '#telemetry';
import {
  startModelServer,
  type ModelScript,
  type ModelServer,
  type ModelServerCall,
  type ModelServerRequest,
} from './fakes/model-server.js';
import { lastSaid } from './fakes/last-said.js';
import { startTelegramServer, type TelegramServer } from './fakes/telegram-server.js';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet, type Kind } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { ACCEPT, envelopeOf, openPlatform } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { startRedis, type RedisServer } from './redis-server.js';

export const BOT = { one: '600001:token-of-bot-one', two: '600002:token-of-bot-two' };
export const WEBHOOK_SECRET = 'a-webhook-secret-of-the-test';

/** One answer of the model, or one that looks at what it was asked. */
export type Line = ModelScript | ((request: ModelServerRequest) => ModelScript);
export type LogLine = Record<string, unknown>;

export interface ChatWorldOptions {
  /** Merged into the configuration of the fleet. */
  config?: Record<string, unknown>;
  runners?: number;
  dispatchers?: number;
}

/** Real runners and dispatchers between a scripted model and scripted channels: what people see in their chats, end to end. */
export class ChatWorld {
  private readonly scripts = new Map<string, readonly Line[]>();
  private messages = 0;

  private constructor(
    readonly redis: RedisServer,
    readonly model: ModelServer,
    /** Counts the executions of `once_tool`. */
    readonly judge: Judge,
    readonly telegram: TelegramServer,
    /** Behind the webhook accounts dedupe, able (actions, images), late (no immediate sends) and merge (late, merges). */
    readonly dedupe: WebhookReceiver,
    /** Behind the webhook account plain. */
    readonly plain: WebhookReceiver,
    readonly fleet: Fleet,
    readonly platform: Platform,
    readonly control: ControlPublisher,
  ) {}

  static async start({ config = {}, runners = 1, dispatchers = 1 }: ChatWorldOptions = {}): Promise<ChatWorld> {
    Logger.overrideLogger(false);
    const model = await startModelServer({ answer: (request) => world.answer(request) });
    const [redis, judge, telegram, dedupe, plain] = await Promise.all([
      startRedis(),
      Judge.start(),
      startTelegramServer(),
      startWebhookReceiver({ dedupe: true, secret: WEBHOOK_SECRET }),
      startWebhookReceiver({ dedupe: false, secret: WEBHOOK_SECRET }),
    ]);
    const channels = channelsTo(telegram, dedupe, plain);
    const agents = { main: { model: 'openai/stage' }, terse: { model: 'openai/stage', narration: false } };
    const fleet = new Fleet({
      redisUrl: redis.url,
      modelUrl: model.baseUrl,
      toolUrl: judge.toolUrl,
      keepLines: 5000,
      config: merge({ channels, agents, defaultAgent: 'main' }, config),
    });
    const platform = await openPlatform(fleet.configPath);
    const control = new ControlPublisher(redis.url, createLogger({ level: 'silent', name: 'test' }).logger);
    const world = new ChatWorld(redis, model, judge, telegram, dedupe, plain, fleet, platform, control);
    await Promise.all([fleet.start('runner', runners), fleet.start('dispatcher', dispatchers)]);
    return world;
  }

  async close(): Promise<void> {
    await this.fleet.close();
    await Promise.all([this.platform.close(), this.control.close()]);
    await Promise.all([this.model, this.judge, this.telegram, this.dedupe, this.plain].map((server) => server.close()));
    await this.redis.stop();
  }

  /** What the model says in the turn that answers `text`, however it comes in; behind the lines `done <text>`. */
  script(text: string, lines: readonly Line[]): void {
    this.scripts.set(text, lines);
  }

  /** A user writes `text`, and the model says these lines in the turn that answers it; behind them `done <text>`. */
  async say(
    target: Target,
    text: string,
    lines: readonly Line[] = [],
    options: { agent?: string; watched?: boolean } = {},
  ): Promise<Said> {
    this.script(text, lines);
    const agent = (options.agent ?? 'main') as AgentId;
    const base = envelopeOf(target, ++this.messages, text, { ...options, named: target.account === 'able' });
    const { channel, account, conversation, thread } = target;
    const session = sessionKey({ tenant: base.tenant, agent, channel, account, chatType: 'direct', conversation, thread });
    const envelope: Envelope = { ...base, agent, session };
    await this.platform.sessions.accept(envelope, ACCEPT);
    return { session, id: envelope.id, turn: `${envelope.id}~0` };
  }

  /** The committed turn that answers a message. */
  async ended({ session, id }: Said): Promise<TurnRecord> {
    const of = (records: TurnRecord[]): TurnRecord | undefined =>
      records.find(({ inputs }) => inputs.some((input) => input.id === id));
    const record = await waitUntil(
      `${id} has its end`,
      async () => of(await this.platform.sessions.transcript(session, 1000)),
      Boolean,
    );
    if (!record) throw new Error('waitUntil returned without a record');
    return record;
  }

  /** Ended, and nothing is on its way to anybody any more. */
  async settled(said: Said): Promise<TurnRecord> {
    const record = await this.ended(said);
    await this.idle();
    return record;
  }

  /** Nothing runs and nothing is on its way to anybody. */
  async idle(): Promise<void> {
    await waitUntil(
      'nothing is busy',
      () => this.busy(),
      (seen) => seen.length === 0,
    );
  }

  /** What the model was asked while it answered `text`. */
  asked(text: string): ModelServerCall[] {
    return this.model.calls.filter(({ body }) => lastSaid(body).text === text);
  }

  async askedTimes(text: string, times: number): Promise<ModelServerCall> {
    await waitUntil(
      `the model is asked ${times} times about ${text}`,
      () => this.asked(text).length,
      (seen) => seen >= times,
    );
    const call = this.asked(text)[times - 1];
    if (!call) throw new Error('waitUntil returned without a call');
    return call;
  }

  /** Changes the configuration of the fleet; nobody reads it before it is told to. */
  rewriteConfig(change: Record<string, unknown>): void {
    const path = this.fleet.configPath;
    const config = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify(merge(config, change)));
  }

  /** Changes it and waits until every member has read it. */
  async reconfigure(change: Record<string, unknown>): Promise<void> {
    this.rewriteConfig(change);
    const read = (): number => this.lines({ msg: 'Configuration read again' }).length;
    const wanted = read() + this.fleet.members.size;
    this.control.configChanged();
    await waitUntil('the configuration is read again', read, (seen) => seen >= wanted);
  }

  /** Log lines of living members with these fields, in no order between members. */
  lines(fields: LogLine, kind?: Kind): LogLine[] {
    const members = kind ? this.fleet.of(kind) : [...this.fleet.members];
    return members
      .flatMap(({ lines }) => lines)
      .filter((line) => Object.entries(fields).every(([key, value]) => line[key] === value));
  }

  /** `Turn ended` of a turn. */
  async endLine({ turn }: Said): Promise<LogLine> {
    const find = (): LogLine[] => this.lines({ msg: LOG_LINES.turnEnded, turnId: turn });
    const [line = {}] = await waitUntil(`the end of ${turn} is logged`, find, ({ length }) => length > 0);
    return line;
  }

  private async busy(): Promise<unknown[]> {
    const { busy } = this.platform;
    return (await Promise.all([busy.list('turns', 10), busy.list('deliveries', 10)])).flat();
  }

  private answer(request: ModelServerRequest): ModelScript {
    const { text, step } = lastSaid(request);
    // In a group what stands beside a message comes ahead of it.
    const script = this.scripts.get(text) ?? this.scripts.get(text.slice(text.lastIndexOf('\n') + 1));
    const line = script?.[step] ?? { text: `done ${text}` };
    return typeof line === 'function' ? line(request) : line;
  }
}

/** A message of a user: where it went, and the turn that answers it. */
export interface Said {
  session: SessionKey;
  id: string;
  turn: string;
}

/** A call of the message tool. */
export function send(content: string, immediate?: boolean): NonNullable<ModelScript['toolCalls']>[number] {
  return { name: 'message', arguments: { content, ...(immediate === undefined ? {} : { immediate }) } };
}

export function sends(...contents: string[]): ModelScript {
  return { toolCalls: contents.map((content) => send(content)) };
}

/** A slow tool. */
export function waits(seconds: number): ModelScript {
  return { toolCalls: [{ name: 'wait', arguments: { seconds } }] };
}

export function generic(account: 'dedupe' | 'able' | 'plain' | 'late' | 'merge', conversation: string): Target {
  return { channel: 'generic', account, conversation };
}

export function telegramChat(conversation: string, account: keyof typeof BOT = 'one', thread?: string): Target {
  return { channel: 'telegram', account, conversation, ...(thread === undefined ? {} : { thread }) };
}

/** What the message tool told the model, in order. */
export function reports(record: Pick<TurnRecord, 'messages'>): Record<string, unknown>[] {
  return record.messages.flatMap((message) =>
    message.role === 'tool' && message.name === 'message' ? [JSON.parse(message.text) as Record<string, unknown>] : [],
  );
}

/** What a conversation shows. */
export function shown({ messages }: WebhookReceiver, conversation: string): string[] {
  return messages.filter((message) => message.conversation === conversation).map(({ text }) => text);
}

export function posted({ posts }: TelegramServer, chatId: string): string[] {
  return posts.filter((post) => post.chatId === chatId).map(({ text }) => text);
}

function channelsTo(telegram: TelegramServer, dedupe: WebhookReceiver, plain: WebhookReceiver): Record<string, unknown> {
  const bot = (botToken: string) => ({ botToken, secretToken: 'a-telegram-secret-token', apiRoot: telegram.url, rates: UNPACED });
  const hook = (outboundUrl: string, more: object) => ({ secret: WEBHOOK_SECRET, outboundUrl, ...more });
  return {
    telegram: { accounts: { one: bot(BOT.one), two: bot(BOT.two) } },
    webhook: {
      accounts: {
        dedupe: hook(dedupe.url, {}),
        able: hook(dedupe.url, { actions: ['edit', 'delete', 'react'], media: ['image'] }),
        plain: hook(plain.url, { dedupe: false, maxTextLength: 100 }),
        late: hook(dedupe.url, { immediateSend: false }),
        merge: hook(dedupe.url, { immediateSend: false, batch: true, maxTextLength: 100 }),
      },
    },
  };
}

type Options = Record<string, unknown>;

function merge(base: Options, over: Options): Options {
  const entries = Object.entries(over).map(
    ([key, value]) => [key, isOptions(base[key]) && isOptions(value) ? merge(base[key], value) : value] as const,
  );
  return { ...base, ...Object.fromEntries(entries) };
}

function isOptions(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import type { JournalEntry, Receipt, ToolCall, UserMessage } from '#contracts';
import { systemClock } from '#kernel';
import {
  PLAIN_TEXT,
  runTurn,
  TurnProgress,
  type ModelEvent,
  type ModelRequest,
  type SendRequest,
  type SendState,
} from './index.js';
import type { Tool, ToolEffect, ToolResult, TurnDeps, TurnEventDraft, TurnInput, TurnResult, TurnSends } from './index.js';

/** Stands for `kill -9`: whatever was not journalled when it comes is gone. */
export class Killed extends Error {}

export type Reply = { text?: string; calls?: (Partial<Omit<ToolCall, 'signature'>> & { name: string })[] } | ModelEvent[] | Error;

/** The world around a turn, in memory: what it journalled, asked, ran, sent and showed, over all its attempts. */
export class TurnWorld implements TurnSends {
  readonly journal: JournalEntry[] = [];
  /** What was journalled together, over all attempts. */
  readonly steps: JournalEntry['k'][][] = [];
  readonly requests: ModelRequest[] = [];
  readonly events: TurnEventDraft[] = [];
  readonly ran: string[] = [];
  readonly sent: SendRequest[] = [];
  /** What was asked, ran and left, in one line of time. */
  readonly timeline: string[] = [];
  readonly tools: Tool[] = [];
  progress = new TurnProgress();
  canSendNow = true;
  abilities = PLAIN_TEXT;
  cancelled = false;
  /** Messages that want to join the turn. */
  mail: string[] = [];
  /** Those that joined, by id. */
  readonly joined = new Map<string, UserMessage>();
  stop = new AbortController();
  /** The attempt is killed at its n-th contact with the world. */
  killAt = Number.POSITIVE_INFINITY;
  #contacts = 0;

  constructor(private readonly reply: (step: number, request: ModelRequest) => Reply) {}

  addTool(
    name: string,
    effect: ToolEffect,
    execute: Tool['execute'] = async () => ({ text: `${name} done`, isError: false }),
    options: Pick<Tool, 'timeoutMs' | 'graceMs' | 'cacheTtlMs' | 'parallelSafe' | 'volatile'> = {},
  ): this {
    const tool: Tool = {
      name,
      effect,
      description: name,
      parameters: { type: 'object' },
      ...options,
      execute: async (args, context, signal): Promise<ToolResult> => {
        this.contact();
        this.ran.push(context.callId);
        this.timeline.push(`run ${name}`);
        const result = await execute(args, context, signal);
        this.contact();
        return result;
      },
    };
    this.tools.push(tool);
    return this;
  }

  run(input: Partial<TurnInput> = {}, deps: Partial<TurnDeps> = {}): Promise<TurnResult> {
    this.progress = new TurnProgress(this.journal);
    this.stop = new AbortController();
    this.#contacts = 0;
    const whole: TurnInput = {
      turn: 't~1',
      session: 's',
      tenant: 'acme',
      system: 'be kind',
      model: 'm',
      history: [],
      user: [{ role: 'user', text: 'go' }],
      journal: [...this.journal],
      tools: this.tools,
      joined: new Map(this.joined),
      ...input,
    };
    const step = async (entries: readonly JournalEntry[]) => {
      this.contact();
      this.journal.push(...entries);
      this.steps.push(entries.map(({ k }) => k));
      this.contact();
      return { cancelled: this.cancelled, joins: this.mail.length > 0 };
    };
    const join = async () => {
      this.contact();
      const messages = this.mail.splice(0).map((text): UserMessage => ({ role: 'user', text }));
      for (const message of messages) this.joined.set(message.text, message);
      if (messages.length > 0) this.journal.push({ k: 'joined', ids: messages.map(({ text }) => text) });
      this.contact();
      return messages;
    };
    const provider = { id: 'fake', stream: (request: ModelRequest) => this.#stream(request) };
    const emit = (event: TurnEventDraft) => void this.events.push(event);
    return runTurn(
      whole,
      { provider, step, join, sends: this, emit, clock: systemClock, progress: this.progress, ...deps },
      this.stop.signal,
    );
  }

  async findMessage(): Promise<undefined> {
    return undefined;
  }

  async now(request: SendRequest): Promise<SendState> {
    const receipt: Receipt = { state: 'sent', platformIds: [`p-${request.key}`], at: 1, possibleDuplicate: false };
    return { state: 'delivered', sequenceInTurn: this.#store(request), receipt };
  }

  async atEnd(request: SendRequest): Promise<{ sequenceInTurn: number; queuedAt: number }> {
    return { sequenceInTurn: this.#store(request), queuedAt: 1 };
  }

  contact(): void {
    this.#contacts += 1;
    if (this.#contacts < this.killAt) return;
    const killed = new Killed();
    this.stop.abort(killed);
    throw killed;
  }

  #store({ key, mode, text, fellBack }: SendRequest): number {
    this.contact();
    const known = this.journal.find((entry) => entry.k === 'send' && entry.key === key);
    if (known?.k === 'send') return known.n;
    const n = this.sent.push({ key, mode, text, fellBack });
    this.journal.push({ k: 'send', n, key, mode, text, fellBack, at: 1 });
    this.timeline.push(`send ${text}`);
    this.contact();
    return n;
  }

  async *#stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    this.contact();
    this.requests.push(request);
    this.timeline.push('ask');
    const lastUser = request.messages.findLastIndex((message) => message.role === 'user');
    const step = 1 + request.messages.slice(lastUser).filter((message) => message.role === 'assistant').length;
    const reply = this.reply(step, request);
    if (reply instanceof Error) throw reply;
    if (Array.isArray(reply)) return yield* reply;
    if (reply.text) yield { type: 'text', text: reply.text };
    this.contact();
    for (const call of reply.calls ?? []) yield { type: 'tool_call', id: '', arguments: '{}', ...call };
    yield { type: 'usage', usage: { inputTokens: 10, outputTokens: 1 } };
    yield { type: 'stop', reason: 'stop' };
  }
}

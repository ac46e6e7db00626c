import type { ModelEvent, ModelRequest } from '#agent';
import { systemClock } from '#kernel';
import { ModelChain, modelProvider, type FailoverEvent } from '#models';
import { startWireServer, type WireReply, type WireServer } from './fakes/wire-server.js';
import { anthropicWire } from './fakes/wires/anthropic-wire.js';
import { googleWire } from './fakes/wires/google-wire.js';
import { openaiChatWire } from './fakes/wires/openai-chat-wire.js';
import type { Wire } from './fakes/wires/wire.js';

export type Api = 'anthropic' | 'openai-chat' | 'google';

export const WIRES: Readonly<Record<Api, Wire>> = {
  anthropic: anthropicWire,
  'openai-chat': openaiChatWire,
  google: googleWire,
};

const WELL: WireReply = { kind: 'answer', text: 'from the fallback' };
const IDLE_MS = 1000;

/** Two real providers at real servers, one chain. Nothing rests, so each question meets the primary as it is. */
export class FailoverWorld implements AsyncDisposable {
  readonly told: FailoverEvent[] = [];
  readonly rests: string[] = [];
  readonly chain: ModelChain;

  private constructor(
    apis: readonly [Api, Api],
    readonly primary: WireServer,
    readonly fallback: WireServer,
  ) {
    const [first, second] = [this.primary, this.fallback].map(({ baseUrl }, n) => {
      const api = apis[n] ?? 'google';
      const settings = {
        id: api,
        apiKey: 'k',
        baseUrl: api === 'openai-chat' ? `${baseUrl}/v1` : baseUrl,
        idleTimeoutMs: IDLE_MS,
      };
      return { provider: modelProvider(api, settings), model: `model-of-${api}` };
    });
    if (!first || !second) throw new Error('A chain needs two');
    this.chain = new ModelChain([first, second], {
      health: {
        state: () => 'well',
        mayProbe: async () => true,
        recovered: () => undefined,
        rest: ({ provider }) => void this.rests.push(provider.id),
      },
      clock: systemClock,
      failuresLeft: { count: Number.POSITIVE_INFINITY },
      windowOf: () => 1_000_000,
      used: () => undefined,
      report: (event) => void this.told.push(event),
    });
  }

  static async start(apis: readonly [Api, Api], reply: (n: number) => WireReply): Promise<FailoverWorld> {
    const [primary, fallback] = await Promise.all([
      startWireServer(WIRES[apis[0]], reply),
      startWireServer(WIRES[apis[1]], () => WELL),
    ]);
    return new FailoverWorld(apis, primary, fallback);
  }

  /** What a reader has at the end, and what came by. */
  async ask(request: Partial<ModelRequest> = {}): Promise<{ text: string; events: ModelEvent[] }> {
    const whole: ModelRequest = {
      model: this.firstModel,
      system: 'be kind',
      messages: [{ role: 'user', text: 'hi' }],
      tools: [],
      ...request,
    };
    const events: ModelEvent[] = [];
    let text = '';
    for await (const event of this.chain.stream(whole, new AbortController().signal)) {
      events.push(event);
      if (event.type === 'restart') text = '';
      if (event.type === 'text') text += event.text;
    }
    return { text, events };
  }

  /** From the first question to the one that was answered, ms. */
  get lost(): number[] {
    return this.told.flatMap((event) => (event.kind === 'answered' ? [event.lostMs] : []));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.primary[Symbol.asyncDispose](), this.fallback[Symbol.asyncDispose]()]);
  }

  private get firstModel(): string {
    return `model-of-${this.chain.id}`;
  }
}

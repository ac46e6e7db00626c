import type { ChatMessage } from '#contracts';
import { TerminalError } from '#kernel';
import type { ModelRequest } from '../model-port.js';
import { TurnWorld, type Reply } from '../turn-world.fixture.js';
import type { ContextEvent, ContextSettings } from './context-settings.js';
import type { PastTurn } from './context-engine.js';
import { frameTokens, messagesTokens } from './token-estimate.js';

export const SUMMARY =
  '## Facts and decisions\nthe table is red\n## Open asks\nbook it\n## Identifiers\nORD-4711\n## State\nwaiting';

const isSummary = ({ system }: ModelRequest): boolean => system.startsWith('You summarise');

export const pastTurn = (n: number, text = `answer ${n}`): PastTurn => ({
  turn: `t${n}`,
  messages: [
    { role: 'user', text: `question ${n} about ORD-4711` },
    { role: 'assistant', text, toolCalls: [] },
  ],
});

/** A turn before a model that refuses what is longer than its real window. */
export class WindowWorld extends TurnWorld {
  readonly told: ContextEvent[] = [];

  constructor(
    realWindow: number,
    answer: (request: ModelRequest, step: number) => Reply = () => ({ text: 'done' }),
    private readonly settings: ContextSettings = {},
    summary = SUMMARY,
  ) {
    super((step, request) => {
      const tokens = frameTokens(request) + messagesTokens(request.messages);
      if (tokens > realWindow) return new TerminalError('context_overflow', `${tokens} tokens are more than ${realWindow}`);
      return isSummary(request) ? { text: summary } : answer(request, step);
    });
  }

  ask(history: readonly PastTurn[], input: { user?: { role: 'user'; text: string }[]; summary?: string } = {}) {
    return this.run({ history, ...input }, { context: { ...this.settings, report: (event) => void this.told.push(event) } });
  }

  get summaries(): ModelRequest[] {
    return this.requests.filter(isSummary);
  }

  get questions(): (readonly ChatMessage[])[] {
    return this.requests.filter((request) => !isSummary(request)).map(({ messages }) => messages);
  }

  get kinds(): string[] {
    return this.told.map(({ kind }) => kind);
  }
}

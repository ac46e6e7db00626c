import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { startModelServer, type ModelScript, type ModelServerCall, type ModelServerRequest } from '../fakes/model-server.js';
import { lastSaid } from '../fakes/last-said.js';

const toolCallSchema = z.object({ turn: z.string(), callId: z.string(), effect: z.string(), process: z.string().optional() });

/** One execution of a tool, as the outside world saw it. */
export interface ToolExecution extends z.infer<typeof toolCallSchema> {
  nonce: string;
  /** ms since the epoch. */
  at: number;
}

/** One question to the model. */
export interface ModelQuestion {
  /** The user's text that is being answered: names the message. */
  about: string;
  /** Model answers of this turn before this one. */
  step: number;
  nonce: string;
  /** The process that asked: every member has an API key of its own. */
  process: string;
  at: number;
  /** When its answer had left; undefined while it has not. */
  answeredAt?: number;
}

/** What the user's text asks the model to do, step by step: `do once,send,pure`. */
const PLAN = /\bdo ([a-z,]+)/;
const TOOLS: Record<string, string> = { once: 'once_tool', pure: 'pure_tool', idempotent: 'idempotent_tool' };

export interface JudgeOptions {
  /** Before an answer begins, ms; called for each. */
  modelDelayMs?: () => number;
  /** A scripted answer for some questions, instead of the plan's. */
  override?: (question: Omit<ModelQuestion, 'nonce'>) => ModelScript | undefined;
}

/** The outside world of a test: a model whose every answer is new, and tools that count their executions. */
export class Judge {
  readonly questions: ModelQuestion[] = [];
  readonly executions: ToolExecution[] = [];
  private nonces = 0;

  private constructor(
    readonly modelUrl: string,
    readonly toolUrl: string,
    private readonly closers: (() => Promise<unknown>)[],
  ) {}

  static async start({ modelDelayMs = () => 0, override }: JudgeOptions = {}): Promise<Judge> {
    const model = await startModelServer({
      answer: (request, call) => judge.answer(request, call, modelDelayMs(), override),
    });
    const tools = createServer((request, response) => {
      void text(request).then((body) => response.end(judge.execute(body)));
    });
    await new Promise<void>((resolve) => tools.listen(0, '127.0.0.1', resolve));
    const close = (): Promise<unknown> => new Promise((resolve) => (tools.close(resolve), tools.closeAllConnections()));
    const judge = new Judge(model.baseUrl, `http://127.0.0.1:${(tools.address() as AddressInfo).port}`, [
      () => model.close(),
      close,
    ]);
    return judge;
  }

  async close(): Promise<void> {
    await Promise.all(this.closers.map((close) => close()));
  }

  /** A tool step calls its tool, `send` calls the message tool with the nonce; behind the plan comes the final text. */
  private answer(
    request: ModelServerRequest,
    { authorization, ended }: ModelServerCall,
    delayMs: number,
    override: JudgeOptions['override'],
  ): ModelScript {
    const { text: about, step } = lastSaid(request);
    const asked = { about, step, process: authorization?.replace('Bearer ', '') ?? '', at: Date.now() };
    const scripted = override?.(asked);
    if (scripted) return scripted;
    const nonce = `n${++this.nonces}.`;
    const question: ModelQuestion = { ...asked, nonce };
    this.questions.push(question);
    void ended.then(() => (question.answeredAt = Date.now()));
    const what = PLAN.exec(about)?.[1]?.split(',')[step];
    const timing = { delayMs };
    if (what === undefined) return { text: nonce, ...timing };
    const id = `call-${nonce}`;
    const call =
      what === 'send'
        ? { id, name: 'message', arguments: { content: nonce } }
        : { id, name: TOOLS[what] ?? what, arguments: { value: nonce } };
    return { toolCalls: [call], ...timing };
  }

  private execute(body: string): string {
    const nonce = `t${++this.nonces}.`;
    this.executions.push({ ...toolCallSchema.parse(JSON.parse(body)), nonce, at: Date.now() });
    return nonce;
  }
}

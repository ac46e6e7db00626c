import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import type { TurnEvent } from '#contracts';
import type { ApiClient } from './api-client.js';
import { CliError } from './cli-error.js';
import { followEvents } from './follow-events.js';
import { PendingAnswers } from './pending-answers.js';
import type { Streams } from './streams.js';
import type { TerminalStyle } from './terminal-style.js';
import { TurnPrinter } from './turn-printer.js';

export interface ChatOptions {
  json: boolean;
  style: TerminalStyle;
}

const LEAVE = /^\/(exit|quit)$/;

/** A conversation in the terminal; or, when stdin is a pipe, one line after the other, each answered before the next is sent. */
export async function chat(api: ApiClient, options: ChatOptions, streams: Streams): Promise<void> {
  const leaving = new AbortController();
  const events = await followEvents(api, leaving.signal);
  const conversation = new TerminalChat(api, options, streams);
  const watching = conversation.watch(events);
  try {
    // A stream that fails for good ends the chat; one that ends, ended because we left.
    await Promise.race([conversation.converse(), watching]);
  } finally {
    leaving.abort();
    conversation.close();
    await watching.catch(() => undefined);
  }
}

class TerminalChat {
  private readonly lines: Interface;
  private readonly answers = new PendingAnswers();
  private readonly printer: TurnPrinter;
  private readonly interactive: boolean;
  /** Messages without an answer. */
  private open = 0;
  private interrupts = 0;

  constructor(
    private readonly api: ApiClient,
    private readonly options: ChatOptions,
    { stdin, stdout }: Streams,
  ) {
    this.interactive = stdin.isTTY === true;
    this.lines = createInterface({ input: stdin, ...(this.interactive ? { output: stdout, prompt: options.style.accent('› ') } : {}) });
    const write = (text: string): unknown => stdout.write(text);
    this.printer = new TurnPrinter({ write, style: options.style, live: stdout.isTTY === true });
    this.print = options.json ? (event) => write(`${JSON.stringify(event)}\n`) : (event) => this.printer.event(event);
  }

  private readonly print: (event: TurnEvent) => void;

  async watch(events: AsyncIterable<TurnEvent>): Promise<void> {
    for await (const event of events) {
      this.print(event);
      this.answers.see(event);
    }
  }

  async converse(): Promise<void> {
    if (this.interactive && !this.options.json) this.say('Enter sends. Ctrl-C stops an answer, /exit leaves.');
    this.lines.on('SIGINT', () => this.interrupt());
    this.prompt();
    const asked: Promise<void>[] = [];
    for await (const line of this.lines) {
      const text = line.trim();
      if (LEAVE.test(text)) return;
      if (text === '') this.prompt();
      else if (this.interactive) asked.push(this.ask(text));
      else await this.ask(text);
    }
    if (this.interrupts < 2) await Promise.all(asked);
  }

  close(): void {
    this.lines.close();
  }

  /** Resolves when the message is answered. In a dialogue a refused message is reported and the chat goes on. */
  private async ask(text: string): Promise<void> {
    this.interrupts = 0;
    this.open += 1;
    try {
      const accepted = await this.api.send({ text, idempotencyKey: randomUUID() });
      if ('messageId' in accepted) await this.answers.of(String(accepted.messageId));
    } catch (error) {
      if (!this.interactive || !(error instanceof CliError)) throw error;
      this.printer.line(this.options.style.bad(error.message));
    } finally {
      this.open -= 1;
      if (this.open === 0) this.prompt();
    }
  }

  private interrupt(): void {
    this.interrupts += 1;
    if (this.interrupts > 1) return this.close();
    if (this.open === 0) {
      this.say('Ctrl-C again leaves.');
      return this.prompt();
    }
    this.api.stop().then(
      () => this.say('Stopping. Ctrl-C again leaves.'),
      (error: unknown) => this.say(error instanceof Error ? error.message : String(error)),
    );
  }

  private say(text: string): void {
    this.printer.line(this.options.style.dim(text));
  }

  private prompt(): void {
    if (this.interactive) this.lines.prompt(true);
  }
}

import { randomUUID } from 'node:crypto';
import { clearLine, createInterface, cursorTo, type Interface } from 'node:readline';
import type { TurnEvent } from '#contracts';
import { describeError } from '#kernel';
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
  private prompted = false;
  private left = false;

  constructor(
    private readonly api: ApiClient,
    private readonly options: ChatOptions,
    private readonly streams: Streams,
  ) {
    const { stdin: input, stdout: output } = streams;
    this.interactive = input.isTTY === true && output.isTTY === true;
    this.lines = createInterface(this.interactive ? { input, output, prompt: options.style.accent('› ') } : { input });
    this.lines.on('SIGINT', () => this.interrupt());
    this.lines.on('close', () => (this.left = true));
    this.printer = new TurnPrinter({ write: (text) => this.write(text), style: options.style, live: output.isTTY === true });
  }

  async watch(events: AsyncIterable<TurnEvent>): Promise<void> {
    for await (const event of events) {
      if (this.options.json) this.write(`${JSON.stringify(event)}\n`);
      else this.printer.event(event);
      this.answers.see(event);
      // Somebody else spoke in this session.
      if (this.open === 0 && event.type === 'message') this.prompt();
    }
  }

  async converse(): Promise<void> {
    if (this.interactive && !this.options.json) this.say('Enter sends. Ctrl-C stops an answer, /exit leaves.');
    this.prompt();
    for await (const line of this.lines) {
      this.prompted = false;
      const text = line.trim();
      if (LEAVE.test(text)) return;
      if (text === '') this.prompt();
      else if (this.interactive) this.ask(text).catch((error: unknown) => this.complain(error));
      else await this.ask(text);
    }
  }

  close(): void {
    this.lines.close();
  }

  /** Resolves when the message is answered. */
  private async ask(text: string): Promise<void> {
    this.interrupts = 0;
    this.open += 1;
    try {
      const accepted = await this.api.send({ text, idempotencyKey: randomUUID() });
      if ('messageId' in accepted) await this.answers.of(String(accepted.messageId));
      else if (this.options.json) this.write(`${JSON.stringify(accepted)}\n`);
      else this.printer.line(this.options.style.dim(String(accepted.reply)));
    } finally {
      this.open -= 1;
      if (this.open === 0) this.prompt();
    }
  }

  private interrupt(): void {
    this.interrupts += 1;
    if (this.interrupts > 1) return this.close();
    if (this.open === 0) return this.say('Ctrl-C again leaves.');
    this.api.stop().then(
      () => this.say('Stopping. Ctrl-C again leaves.'),
      (error: unknown) => this.complain(error),
    );
  }

  /** A refused message does not end a dialogue. */
  private complain(error: unknown): void {
    this.printer.line(this.options.style.bad(error instanceof CliError ? error.message : describeError(error)));
    if (this.open === 0) this.prompt();
  }

  private say(text: string): void {
    this.printer.line(this.options.style.dim(text));
    if (this.open === 0) this.prompt();
  }

  private write(text: string): void {
    const { stdout } = this.streams;
    if (this.prompted) {
      cursorTo(stdout, 0);
      clearLine(stdout, 0);
      this.prompted = false;
    }
    stdout.write(text);
  }

  /** What was typed so far is kept. */
  private prompt(): void {
    if (!this.interactive || this.prompted || this.left) return;
    this.prompted = true;
    this.lines.prompt(true);
  }
}

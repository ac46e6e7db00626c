import type { TurnEvent } from '#contracts';
import type { TerminalStyle } from './terminal-style.js';

type Delta = Extract<TurnEvent, { type: 'text.delta' }>;
type Message = Extract<TurnEvent, { type: 'message' }>;
type Changed = Extract<TurnEvent, { type: 'message.changed' }>;
type TurnEnd = Extract<TurnEvent, { type: 'turn.end' }>;

export interface TurnPrinterOptions {
  write(text: string): void;
  style: TerminalStyle;
  /** Show tokens as they come, and tools; else only what was delivered. */
  live: boolean;
}

/**
 * Turns the events of a session into lines. A token cannot be taken back from a terminal: when a turn starts again after a crash,
 * or an answer with another model, this is said, and what was shown whole already is not shown again.
 */
export class TurnPrinter {
  private turn: string | undefined;
  private fence: string | undefined;
  private step = 0;
  /** Of the running step. */
  private streamed = '';
  /** Texts of earlier steps whose message is still to come. */
  private readonly shown: string[] = [];
  private atLineStart = true;

  constructor(private readonly options: TurnPrinterOptions) {}

  event(event: TurnEvent): void {
    switch (event.type) {
      case 'turn.start':
      case 'turn.joined':
        return this.attempt(event.turn, event.fence);
      case 'text.delta':
        return this.delta(event);
      case 'tool.draft':
        // It could not be taken back.
        return;
      case 'tool.start':
        return this.tool(event.name);
      case 'tool.end':
        return event.isError ? this.tool(`${event.name} failed`) : undefined;
      case 'message':
        return this.message(event);
      case 'message.changed':
        return this.changed(event);
      case 'turn.end':
        return this.end(event);
    }
  }

  /** On a line of its own. */
  line(text: string): void {
    this.finishLine();
    this.options.write(`${text}\n`);
  }

  private attempt(turn: string, fence: string): void {
    if (turn === this.turn && fence !== this.fence && this.streamed !== '') this.startAgain();
    if (turn === this.turn && fence === this.fence) return;
    this.turn = turn;
    this.fence = fence;
    this.step = 0;
    this.streamed = '';
  }

  private delta({ turn, fence, step, offset, text }: Delta): void {
    if (!this.options.live) return;
    this.attempt(turn, fence);
    if (step !== this.step) {
      if (this.streamed !== '') this.shown.push(this.streamed.trim());
      this.finishLine();
      this.step = step;
      this.streamed = '';
    }
    const whole = this.streamed.slice(0, offset) + text;
    if (!whole.startsWith(this.streamed.slice(0, whole.length))) this.startAgain();
    const fresh = whole.slice(this.streamed.length);
    this.streamed += fresh;
    this.write(fresh);
  }

  private startAgain(): void {
    this.line(this.options.style.dim('(interrupted: the answer starts again)'));
    this.streamed = '';
  }

  /** Sends of the message tool are printed themselves. */
  private tool(what: string): void {
    if (this.options.live && what !== 'message') this.line(this.options.style.dim(`  · ${what}`));
  }

  /** What is written to a terminal stays: the change is said. */
  private changed({ action, text }: Changed): void {
    const { accent, dim } = this.options.style;
    switch (action.do) {
      case 'edit':
        return this.line(`${accent('▸')} ${dim('(changed to)')} ${text}`);
      case 'delete':
        return this.line(dim('(a message was deleted)'));
      case 'react':
        return action.emoji === null ? undefined : this.line(dim(`(reacts with ${action.emoji})`));
    }
  }

  private message({ text, deliveryMode }: Message): void {
    if (this.wasShown(text)) return this.finishLine();
    const { style } = this.options;
    switch (deliveryMode) {
      case 'immediate':
      case 'batched':
        return this.line(`${style.accent('▸')} ${text}`);
      case 'notice':
        return this.line(style.dim(text));
      case 'narration':
      case 'final':
        return this.line(text);
    }
  }

  private wasShown(text: string): boolean {
    const index = this.shown.indexOf(text.trim());
    if (index >= 0) this.shown.splice(index, 1);
    const running = this.streamed !== '' && this.streamed.trim() === text.trim();
    if (running) this.streamed = '';
    return index >= 0 || running;
  }

  private end({ outcome }: TurnEnd): void {
    this.finishLine();
    if (outcome === 'cancelled') this.line(this.options.style.dim('(stopped)'));
    if (outcome === 'failed' || outcome === 'dead') this.line(this.options.style.bad('(the turn failed)'));
  }

  private finishLine(): void {
    if (!this.atLineStart) this.write('\n');
  }

  private write(text: string): void {
    if (text === '') return;
    this.options.write(text);
    this.atLineStart = text.endsWith('\n');
  }
}

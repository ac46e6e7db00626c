import type { ModelEvent } from './model-port.js';

/** What local models put around their reasoning, inside plain text (TU-8). */
const OPEN = /<(think|thinking|thought)>/i;
const TAGS = ['<think>', '<thinking>', '<thought>'];

/**
 * Turns `<think>...</think>` inside the text of a stream into reasoning events, however it is split into pieces. A block
 * that is never closed hides the rest of the answer. A tag right behind a backtick is quoted, so it is text.
 */
export async function* withoutHiddenReasoning(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  let splitter = new ReasoningSplitter();
  for await (const event of events) {
    if (event.type === 'text') yield* splitter.add(event.text);
    else {
      if (event.type === 'restart') splitter = new ReasoningSplitter();
      if (event.type === 'stop') yield* splitter.end();
      yield event;
    }
  }
}

/** A whole text without the reasoning in it. */
export function visiblePart(text: string): string {
  const splitter = new ReasoningSplitter();
  const parts = [...splitter.add(text), ...splitter.end()];
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

class ReasoningSplitter {
  /** Text whose kind is not known yet, from the first character that may begin a tag. */
  #held = '';
  /** The closing tag that is waited for. */
  #closing: string | undefined;
  /** The character before #held. */
  #before = '';

  *add(text: string): Generator<ModelEvent> {
    this.#held += text;
    for (;;) {
      const tag = this.#nextTag();
      if (!tag) break;
      yield* this.#take(tag.index);
      this.#held = this.#held.slice(tag.length);
      this.#closing = tag.closing;
    }
    yield* this.#take(this.#held.length - this.#undecided());
  }

  *end(): Generator<ModelEvent> {
    yield* this.#take(this.#held.length);
  }

  #nextTag(): { index: number; length: number; closing: string | undefined } | undefined {
    if (this.#closing !== undefined) {
      const index = this.#held.toLowerCase().indexOf(this.#closing);
      return index < 0 ? undefined : { index, length: this.#closing.length, closing: undefined };
    }
    let from = 0;
    for (;;) {
      const found = OPEN.exec(this.#held.slice(from));
      if (!found) return undefined;
      const index = from + found.index;
      if (this.#charBefore(index) !== '`') return { index, length: found[0].length, closing: `</${found[1]?.toLowerCase()}>` };
      from = index + found[0].length;
    }
  }

  /** How many characters at the end may be the beginning of a tag. */
  #undecided(): number {
    const text = this.#held.toLowerCase();
    const index = text.lastIndexOf('<');
    if (index < 0) return 0;
    const tags = this.#closing === undefined ? TAGS : [this.#closing];
    const end = text.slice(index);
    return tags.some((tag) => tag.length > end.length && tag.startsWith(end)) ? end.length : 0;
  }

  #charBefore(index: number): string {
    return index === 0 ? this.#before : (this.#held[index - 1] ?? '');
  }

  *#take(length: number): Generator<ModelEvent> {
    if (length === 0) return;
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#before = text.at(-1) ?? '';
    yield { type: this.#closing === undefined ? 'text' : 'reasoning', text };
  }
}

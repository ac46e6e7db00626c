import { renderMarkdown } from './markdown.js';

/** Within this distance of the end, in CSS pixels, the page follows what is written. */
const FOLLOW_PX = 120;

/**
 * Draws a conversation into a list. Every entry has a key and a signature: a node is built once and built again only when
 * what it shows has changed.
 */
export class View {
  #nodes = new Map();
  #list;
  #scroller;
  #actions;

  /** @param actions { again(id), discard(id) } for messages that were refused, { say(text) } for buttons of the agent's */
  constructor(list, actions) {
    this.#list = list;
    this.#scroller = list.parentElement;
    this.#actions = actions;
  }

  draw(conversation) {
    const following = this.atEnd;
    const rows = [...turnRows(conversation, this.#actions), ...ownRows(conversation, this.#actions)];
    const kept = new Set(rows.map(({ key }) => key));
    for (const [key, { node }] of this.#nodes) {
      if (kept.has(key)) continue;
      node.remove();
      this.#nodes.delete(key);
    }
    rows.forEach((row, index) => {
      const node = this.#node(row);
      if (this.#list.children[index] !== node) this.#list.insertBefore(node, this.#list.children[index] ?? null);
    });
    if (following) this.toEnd();
  }

  get atEnd() {
    const { scrollHeight, clientHeight, scrollTop } = this.#scroller;
    return scrollHeight - clientHeight - scrollTop < FOLLOW_PX;
  }

  toEnd() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #node({ key, signature, kind, build }) {
    let known = this.#nodes.get(key);
    if (!known) {
      known = { node: document.createElement('li'), signature: undefined };
      this.#nodes.set(key, known);
    }
    if (known.signature !== signature) {
      known.signature = signature;
      known.node.className = kind;
      known.node.replaceChildren(...build());
    }
    return known.node;
  }
}

function turnRows(conversation, actions) {
  return [...conversation.turns.values()].flatMap((turn) => [
    ...turn.inputs.map((input) => row(`in/${input.id}`, 'mine', input.text, () => [bubble(input.text)])),
    ...groupTools(turn.entries).map((entry) => entryRow(entry, turn.outcome === 'parked' ? actions : undefined)),
    ...turnEndRows(turn),
  ]);
}

/** Tools called one after the other share a line. */
function groupTools(entries) {
  const groups = [];
  for (const entry of entries) {
    if (entry.kind === 'tool' && groups.at(-1)?.kind === 'tools') groups.at(-1).tools.push(entry);
    else groups.push(entry.kind === 'tool' ? { kind: 'tools', key: entry.key, tools: [entry] } : entry);
  }
  return groups;
}

/** @param actions while the turn waits for a person */
function entryRow(entry, actions) {
  const signature = JSON.stringify([entry, actions !== undefined]);
  if (entry.kind === 'tools') return row(entry.key, 'tools', signature, () => entry.tools.map(chip));
  if (entry.kind === 'text') {
    const kind = entry.partial ? 'answer partial' : 'answer streaming';
    return row(entry.key, kind, signature, () => [renderMarkdown(entry.text), ...(entry.partial ? [label('stopped here')] : [])]);
  }
  switch (entry.mode) {
    case 'immediate':
    case 'batched':
      return row(entry.key, 'answer progress', signature, () => [
        label(entry.mode === 'immediate' ? 'progress' : 'also'),
        renderMarkdown(entry.text),
      ]);
    case 'notice':
      return row(entry.key, actions || entry.buttons ? 'answer question' : 'notice', signature, () => [
        renderMarkdown(entry.text),
        ...(actions && entry.buttons?.length > 0
          ? [choices(entry.buttons.map(({ text, data }) => button(text, () => actions.say(data))))]
          : []),
      ]);
    default:
      return row(entry.key, 'answer', signature, () => [
        renderMarkdown(entry.text),
        ...(entry.partial ? [label('stopped here')] : []),
      ]);
  }
}

function turnEndRows(turn) {
  const key = `end/${turn.turn}`;
  if (!turn.ended) {
    const last = turn.entries.at(-1);
    const busy = last?.kind === 'text' || last?.state === 'running';
    return busy ? [] : [row(key, 'thinking', 'thinking', thinking)];
  }
  const word = { cancelled: 'Stopped', failed: 'Failed', dead: 'Given up' }[turn.outcome];
  if (!word || turn.entries.some(({ mode }) => mode === 'notice')) return [];
  return [row(key, 'notice', word, () => [document.createTextNode(word)])];
}

function ownRows(conversation, actions) {
  const waiting = conversation.own.filter(({ state }) => state === 'sent');
  return conversation.own.map((message) => {
    const mark = markOf(message, waiting.indexOf(message), conversation.running !== undefined);
    return row(`own/${message.id}`, `mine ${message.state}`, `${message.state} ${mark} ${message.text}`, () => [
      bubble(message.text),
      ...(message.state === 'refused' ? refusedParts(message, mark, actions) : [label(mark)]),
    ]);
  });
}

function markOf({ state, problem }, position, busy) {
  if (state === 'sending') return 'sending';
  if (state === 'refused') return `not sent: ${problem}`;
  const ahead = position + (busy ? 1 : 0);
  return ahead === 0 ? 'sent' : `sent, waiting: ${ahead} ahead`;
}

function refusedParts({ id }, mark, { again, discard }) {
  return [choices([label(mark), button('Try again', () => again(id)), button('Discard', () => discard(id))])];
}

function choices(nodes) {
  const line = Object.assign(document.createElement('div'), { className: 'choices' });
  line.append(...nodes);
  return line;
}

function row(key, kind, signature, build) {
  return { key, kind, signature: `${kind} ${signature}`, build };
}

function bubble(text) {
  return Object.assign(document.createElement('div'), { className: 'bubble', textContent: text });
}

function label(text) {
  return Object.assign(document.createElement('span'), { className: 'label', textContent: text });
}

function button(text, onclick) {
  return Object.assign(document.createElement('button'), { type: 'button', textContent: text, onclick });
}

function chip({ name, state }) {
  const node = Object.assign(document.createElement('span'), {
    className: `chip ${state}`,
    textContent: name.replaceAll('_', ' '),
  });
  node.append(Object.assign(document.createElement('span'), { className: 'unseen', textContent: `, tool ${state}` }));
  return node;
}

function thinking() {
  const dots = Object.assign(document.createElement('span'), { className: 'dots' });
  dots.append(...[1, 2, 3].map(() => document.createElement('i')));
  return [dots, Object.assign(document.createElement('span'), { className: 'unseen', textContent: 'Working' })];
}

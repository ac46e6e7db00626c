import { renderMarkdown } from './markdown.js';
import { button, choices, label, messageParts, reacted } from './message-parts.js';

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
    ...turn.inputs.map(({ id, text, reaction }) =>
      row(`in/${id}`, 'mine', `${reaction ?? ''} ${text}`, () => [bubble(text), ...reacted(reaction)]),
    ),
    ...groupTools(turn.entries).map((entry) => entryRow(entry, conversation, turn.outcome === 'parked', actions)),
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

/** @param waits the turn waits for a person: only then its question can be answered */
function entryRow(entry, conversation, waits, { say }) {
  const signature = JSON.stringify([entry, waits, entry.replyTo && conversation.textOf(entry.replyTo)]);
  if (entry.kind === 'tools') return row(entry.key, 'tools', signature, () => entry.tools.map(chip));
  if (entry.kind === 'text') {
    const kind = entry.partial ? 'answer partial' : 'answer streaming';
    return row(entry.key, kind, signature, () => [renderMarkdown(entry.text), ...(entry.partial ? [label('stopped here')] : [])]);
  }
  const offered = entry.mode === 'notice' && !waits ? [] : (entry.buttons ?? []);
  const build = () => [
    ...labelOf(entry),
    ...messageParts(entry, (id) => conversation.textOf(id)),
    ...(offered.length > 0 && !entry.deleted ? [choices(offered.map(({ text, data }) => button(text, () => say(data))))] : []),
    ...(entry.partial ? [label('stopped here')] : []),
  ];
  return row(entry.key, kindOf(entry, waits), signature, build);
}

function labelOf({ mode }) {
  if (mode === 'immediate') return [label('progress')];
  return mode === 'batched' ? [label('also')] : [];
}

function kindOf({ mode, buttons }, waits) {
  if (mode === 'immediate' || mode === 'batched') return 'answer progress';
  if (mode !== 'notice') return 'answer';
  return waits || buttons ? 'answer question' : 'notice';
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
    return row(
      `own/${message.id}`,
      `mine ${message.state}`,
      `${message.state} ${mark} ${message.reaction ?? ''} ${message.text}`,
      () => [
        bubble(message.text),
        ...reacted(message.reaction),
        ...(message.state === 'refused' ? refusedParts(message, mark, actions) : [label(mark)]),
      ],
    );
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

function row(key, kind, signature, build) {
  return { key, kind, signature: `${kind} ${signature}`, build };
}

function bubble(text) {
  return Object.assign(document.createElement('div'), { className: 'bubble', textContent: text });
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

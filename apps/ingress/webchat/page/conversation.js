/**
 * What the page knows of one session. Pure: frames of the server go in, entries to show come out.
 * A turn from `history` is complete; a turn from events grows until its `turn.end` and its last message.
 */

/** @typedef {{ id: string, text: string, state: 'sending' | 'sent' | 'refused', messageId?: string, sequence?: number, problem?: string }} OwnMessage */

export class Conversation {
  /** @type {Map<string, any>} */
  turns = new Map();
  /** Written here and not seen in a turn yet, oldest first. @type {OwnMessage[]} */
  own = [];

  /** The running turn, if there is one. */
  get running() {
    return [...this.turns.values()].findLast((turn) => !turn.ended);
  }

  /** Whether a turn that ended answers messages that were written elsewhere: the history has them. */
  get hasUnknownQuestions() {
    return [...this.turns.values()].some(
      ({ ended, ids, inputs }) => ended && ids.some((id) => !inputs.some((input) => input.id === id)),
    );
  }

  get isEmpty() {
    return this.turns.size === 0 && this.own.length === 0;
  }

  /** Committed turns. `reset`: the page was away too long to go on from what it shows. */
  history({ turns, reset }) {
    if (reset) this.turns.clear();
    for (const { turn, inputs, entries, outcome, reason, changes = [] } of turns) {
      const known = this.turns.get(turn);
      const ids = inputs.map(({ id }) => id);
      const shown = entries.map((entry, index) => ({ ...entry, key: `${turn}/${index}` }));
      // What was seen live and whole stays as it was seen; only questions asked elsewhere come in.
      if (known && isWhole(known)) Object.assign(known, { ids, inputs });
      else
        this.turns.set(turn, {
          turn,
          ids,
          inputs,
          entries: shown,
          outcome,
          reason,
          changed: [],
          rows: [],
          ended: true,
          complete: outcome !== 'parked',
        });
      this.own = this.own.filter(({ messageId }) => !ids.includes(messageId));
      for (const change of changes) this.#change(change);
    }
  }

  /** What a message says that others answer; '' when it is not here. */
  textOf(id) {
    return this.#find(id)?.text ?? '';
  }

  send(id, text) {
    this.own.push({ id, text, state: 'sending' });
  }

  /** The server has it for good. @param {{ id: string, messageId?: string, sequence?: number, command?: string, reply?: string }} ack */
  ack({ id, messageId, sequence, command, reply }) {
    const message = this.own.find((own) => own.id === id);
    if (!message) return;
    if (command) return this.#obeyed(message, reply);
    Object.assign(message, { state: 'sent', messageId, sequence });
    const turn = [...this.turns.values()].findLast(({ ids }) => ids.includes(messageId));
    if (turn) this.#adopt(turn);
  }

  refuse(id, problem) {
    const message = this.own.find((own) => own.id === id);
    if (message) Object.assign(message, { state: 'refused', problem });
  }

  discard(id) {
    this.own = this.own.filter((own) => own.id !== id);
  }

  event(event) {
    const turn = this.#turn(event);
    if (turn.complete) return;
    turn.entries = turn.entries.filter(({ draft }) => !draft);
    switch (event.type) {
      case 'turn.start':
        // A turn that waited for a person goes on.
        Object.assign(turn, { ended: false, outcome: undefined, rows: [] });
        turn.ids = [...new Set([...turn.ids, ...event.messages])];
        return this.#adopt(turn);
      case 'text.delta':
        return writeText(turn, event);
      case 'tool.draft':
        return turn.entries.push({ kind: 'tool', draft: true, key: `${turn.turn}/draft`, name: event.name, state: 'running' });
      case 'tool.start':
      case 'tool.end':
        return writeTool(turn, event);
      case 'message':
        return writeMessage(turn, event);
      case 'message.changed':
        turn.changed.push(event.id);
        this.#change(event);
        return settle(turn);
      case 'turn.end':
        turn.ids = [...new Set([...turn.ids, ...event.messages])];
        Object.assign(turn, { ended: true, outcome: event.outcome, reason: event.reason, rows: event.rows });
        this.#adopt(turn);
        return settle(turn);
    }
  }

  /** A higher fence is another attempt at the turn: its text starts again, what was delivered stays. */
  #turn({ turn: id, fence }) {
    let turn = this.turns.get(id);
    if (!turn) {
      turn = { turn: id, fence, ids: [], inputs: [], entries: [], changed: [], rows: [], ended: false, complete: false };
      this.turns.set(id, turn);
    }
    if (fence !== undefined && fence !== turn.fence) {
      turn.fence = fence;
      turn.entries = turn.entries.filter(({ kind, state }) => kind !== 'text' && state !== 'running');
    }
    return turn;
  }

  /** Doing it twice changes nothing: the history of a turn repeats what its events said. */
  #change({ action, text, media, buttons }) {
    const message = this.#find(action.message);
    if (!message) return;
    if (action.do === 'edit') Object.assign(message, { text, media, buttons, edited: true });
    if (action.do === 'delete') message.deleted = true;
    if (action.do === 'react') message.reaction = action.emoji;
  }

  /** A message by the id that the agent knows it by, whoever wrote it. */
  #find(id) {
    const turns = [...this.turns.values()];
    return (
      turns.flatMap(({ entries, inputs }) => [...entries, ...inputs]).find((message) => message.id === id) ??
      this.own.find(({ messageId }) => messageId === id)
    );
  }

  /** A control command was obeyed at once: it stays, with what it said, where it was written. */
  #obeyed({ id, text }, reply) {
    this.discard(id);
    const entries = [{ kind: 'message', mode: 'notice', key: `${id}/reply`, text: reply }];
    this.turns.set(id, {
      turn: id,
      ids: [],
      inputs: [{ id, text }],
      entries,
      changed: [],
      rows: [],
      ended: true,
      complete: true,
    });
  }

  /** Own messages that this turn answers move into it. */
  #adopt(turn) {
    for (const message of this.own.filter(({ messageId }) => turn.ids.includes(messageId))) {
      this.discard(message.id);
      const seen = turn.inputs.some(({ id }) => id === message.messageId);
      if (!seen) turn.inputs.push({ id: message.messageId, text: message.text, reaction: message.reaction });
    }
  }
}

function writeText(turn, { step, offset, text }) {
  // Delivered already: an attempt before this one wrote it.
  if (turn.entries.some((entry) => entry.kind === 'message' && entry.step === step)) return;
  let entry = turn.entries.find(({ kind, step: of }) => kind === 'text' && of === step);
  if (!entry) {
    entry = { kind: 'text', key: `${turn.turn}/text/${step}`, step, text: '' };
    turn.entries.push(entry);
  }
  // A gap (older events were dropped) is closed by the message itself.
  if (offset <= entry.text.length) entry.text = entry.text.slice(0, offset) + text;
}

function writeTool(turn, { type, call, name, isError }) {
  // The messages it sends are shown themselves.
  if (name === 'message') return;
  let entry = turn.entries.find(({ kind, call: of }) => kind === 'tool' && of === call);
  if (!entry) {
    entry = { kind: 'tool', key: `${turn.turn}/tool/${call}`, call, name, state: 'running' };
    turn.entries.push(entry);
  }
  if (type === 'tool.end') entry.state = isError ? 'failed' : 'done';
}

function writeMessage(turn, { id, text, deliveryMode, replyTo, media, buttons }) {
  if (turn.entries.some((entry) => entry.id === id)) return;
  // The history of a turn that waits for a person has the question; its event may come behind it.
  const shown = turn.entries.find((entry) => !entry.id && entry.mode === deliveryMode && entry.text === text);
  if (shown) return Object.assign(shown, { id });
  const message = { kind: 'message', key: id, id, text, mode: deliveryMode, replyTo, media, buttons };
  const streamed = turn.entries.filter(({ kind }) => kind === 'text');
  if (deliveryMode === 'narration') {
    const same = streamed.find((entry) => entry.text.trim() === text.trim()) ?? streamed[0];
    if (same) turn.entries[turn.entries.indexOf(same)] = { ...message, step: same.step };
    else turn.entries.push(message);
  } else {
    // A notice may quote what there was of a stopped answer.
    const replaced = (entry) => entry.kind === 'text' && (deliveryMode === 'final' || text.startsWith(entry.text.trim()));
    turn.entries = [...turn.entries.filter((entry) => !replaced(entry)), message];
  }
  settle(turn);
}

function isWhole({ ended, rows, entries, changed }) {
  const arrived = new Set([...entries.map(({ id }) => id), ...changed]);
  return ended && rows.every((row) => arrived.has(row));
}

/** When everything the turn had to say is here, text that only streamed is the rest of a stopped answer, or was not meant to be said. */
function settle(turn) {
  if (!isWhole(turn) || turn.outcome === 'parked') return;
  if (turn.outcome === 'answered') turn.entries = turn.entries.filter(({ kind }) => kind !== 'text');
  for (const entry of turn.entries) {
    if (entry.kind === 'text') entry.partial = true;
    if (entry.state === 'running') entry.state = 'stopped';
  }
}

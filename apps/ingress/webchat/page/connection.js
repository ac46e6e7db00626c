/** Close codes of the server (chat-frames.schema.ts): asking again with the same words cannot help. */
const BAD_TOKEN = 4401;
const FOREIGN_SESSION = 4403;

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** A message without an answer for this long means that the link is dead, though nobody closed it. */
const ACK_TIMEOUT_MS = 10_000;
const TRY_AGAIN_MS = 2_000;

/**
 * The socket of one session: connects, authenticates, and comes back by itself behind the last event it saw. A message
 * stays here until the server acknowledged it and is sent again with the same id on every new connection.
 *
 * Calls `on.state(state, detail)` with connecting | online | offline | bad-token | foreign-session, and `on.frame(frame)`.
 */
export class Connection {
  #socket;
  #timer;
  #failures = 0;
  #cursor;
  /** id -> { text, timer } in the order they were written. */
  #unsent = new Map();
  #closed = false;
  /** What the server said before it closed: a close reason is too short for a sentence. */
  #refusal;

  constructor({ url, token, session, on }) {
    Object.assign(this, { url, token, session, on });
    this.#open();
  }

  send(id, text) {
    this.#unsent.set(id, { text, timer: undefined });
    this.#transmit(id);
  }

  stop() {
    this.#write({ type: 'stop' });
  }

  /** Asks for the questions of turns that others started. */
  refresh() {
    this.#write({ type: 'history', after: this.#cursor });
  }

  /** The network is back, or somebody looks at the page again. */
  hurry() {
    if (!this.#socket && !this.#closed) this.#open();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { timer } of this.#unsent.values()) clearTimeout(timer);
    this.#socket?.close();
  }

  #open() {
    clearTimeout(this.#timer);
    this.on.state('connecting');
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    this.online = false;
    socket.onopen = () => this.#write({ type: 'auth', token: this.token, session: this.session, after: this.#cursor });
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = ({ code }) => this.#lost(socket, code);
  }

  #receive(frame) {
    switch (frame.type) {
      case 'history':
        this.#failures = 0;
        this.online = true;
        this.#cursor = frame.cursor;
        this.on.state('online');
        this.on.frame(frame);
        for (const id of this.#unsent.keys()) this.#transmit(id);
        return;
      case 'event':
        this.#cursor = frame.cursor;
        break;
      case 'ack':
        this.#settle(frame.id);
        break;
      case 'error':
        if (frame.id === undefined) this.#refusal = frame.problem.detail;
        else if (this.#comesAgain(frame)) return;
        break;
    }
    this.on.frame(frame);
  }

  /** 429 and 503 pass by: the same message goes again. Other refusals are final. */
  #comesAgain({ id, problem }) {
    if (problem.status !== 429 && problem.status < 500) {
      this.#settle(id);
      return false;
    }
    const waiting = this.#unsent.get(id);
    if (!waiting) return true;
    clearTimeout(waiting.timer);
    waiting.timer = setTimeout(() => this.#transmit(id), TRY_AGAIN_MS);
    return true;
  }

  #transmit(id) {
    const waiting = this.#unsent.get(id);
    if (!waiting || !this.online) return;
    clearTimeout(waiting.timer);
    const socket = this.#socket;
    waiting.timer = setTimeout(() => this.#lost(socket), ACK_TIMEOUT_MS);
    this.#write({ type: 'send', id, text: waiting.text });
  }

  #settle(id) {
    clearTimeout(this.#unsent.get(id)?.timer);
    this.#unsent.delete(id);
  }

  #write(frame) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #lost(socket, code) {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    this.online = false;
    socket.onmessage = null;
    socket.close();
    if (this.#closed) return;
    if (code === BAD_TOKEN || code === FOREIGN_SESSION) {
      this.#closed = true;
      this.on.state(code === BAD_TOKEN ? 'bad-token' : 'foreign-session', this.#refusal);
      return;
    }
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures) * (0.5 + Math.random() / 2);
    this.#failures += 1;
    this.on.state('offline');
    this.#timer = setTimeout(() => this.#open(), wait);
  }
}

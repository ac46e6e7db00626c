import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageId, type MessageId, type SessionKey } from '#kernel';
import { sessionOf } from '../harness/mail.js';
import type { Fleet } from '../harness/fleet.js';
import type { Random } from './random.js';

export const WEBHOOK_SECRET = 'a-torture-webhook-secret';
export const TELEGRAM_SECRET = 'a-torture-telegram-secret';
const PLANS = ['', '', 'do send', 'do once,send,pure', 'do pure,send,send'];
const GIVE_UP_MS = 4_000;
const RETRY_MS = 100;

/** One webhook as a platform would post it, and post it again. */
interface Post {
  session: SessionKey;
  id: MessageId;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Control messages end no turn of their own. */
  control: boolean;
}

export interface TrafficCounts {
  sent: number;
  refused: number;
  twins: number;
  lateRetries: number;
  stops: number;
  edits: number;
}

/** People and platforms: webhooks at a steady rate, repeated until they are acknowledged, some by two at once. */
export class Traffic {
  /** Session -> ids of what was acknowledged, that a turn has to end. */
  readonly accepted = new Map<SessionKey, string[]>();
  readonly counts: TrafficCounts = { sent: 0, refused: 0, twins: 0, lateRetries: 0, stops: 0, edits: 0 };
  private readonly numbers = new Map<string, number>();
  private updates = 0;

  constructor(
    private readonly fleet: Fleet,
    private readonly random: Random,
    private readonly sessions: number,
  ) {}

  /** Resolves when all of them are acknowledged. */
  async run(messages: number, perSecond: number): Promise<void> {
    const began = performance.now();
    const under: Promise<void>[] = [];
    while (this.counts.sent < messages) {
      const due = Math.min(messages, Math.floor(((performance.now() - began) / 1000) * perSecond));
      while (this.counts.sent < due) {
        this.counts.sent++;
        under.push(...this.one());
      }
      await sleep(10);
    }
    await Promise.all(under);
  }

  private one(): Promise<void>[] {
    // 30 % of the messages go to 3 % of the sessions.
    const busy = this.random.chance(0.3);
    const index = Math.floor(this.random.next() * (busy ? Math.max(3, this.sessions * 0.03) : this.sessions));
    const post = index % 5 === 4 ? this.telegram(index) : this.webhook(index, index % 5 === 3 ? 'plain' : 'dedupe');
    const at = this.random.chance(0.5) ? 0 : 1;
    if (!post.control) this.accepted.set(post.session, [...(this.accepted.get(post.session) ?? []), post.id]);
    const sending = [this.deliver(post, at)];
    if (this.random.chance(0.02)) {
      this.counts.twins++;
      sending.push(this.deliver(post, 1 - at));
    }
    if (this.random.chance(0.02)) {
      this.counts.lateRetries++;
      sending.push(sleep(this.random.between(50, 2000)).then(() => this.deliver(post, at)));
    }
    return sending;
  }

  private webhook(index: number, account: 'dedupe' | 'plain'): Post {
    const conversation = `c${index}`;
    const n = this.next(conversation);
    const stop = this.random.chance(0.01);
    if (stop) this.counts.stops++;
    const text = stop ? '/stop' : `${conversation}/${n} ${this.random.pick(PLANS)}`;
    const body = JSON.stringify({
      id: `${conversation}-${n}`,
      type: 'message',
      timestamp: new Date().toISOString(),
      conversation: { id: conversation, type: 'direct' },
      sender: { id: 'user', name: 'Alex' },
      text,
      attachments: [],
    });
    const signature = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex');
    return {
      session: sessionOf(conversation, 'generic', account),
      id: messageId({ channel: 'generic', account, conversation, kind: 'message', platformId: `${conversation}-${n}` }),
      path: `/webhooks/generic/${account}`,
      headers: { 'x-signature-256': `sha256=${signature}` },
      body,
      control: stop,
    };
  }

  private telegram(index: number): Post {
    const chat = 100_000 + index;
    const n = this.next(String(chat));
    const update = ++this.updates;
    const edit = n > 1 && this.random.chance(0.1);
    if (edit) this.counts.edits++;
    const date = 1_764_547_200 + update;
    const message = {
      message_id: edit ? n - 1 : n,
      from: { id: chat, is_bot: false, first_name: 'Alex' },
      chat: { id: chat, type: 'private', first_name: 'Alex' },
      date,
      ...(edit ? { edit_date: date } : {}),
      text: `${chat}/${n} ${this.random.pick(PLANS)}`,
    };
    return {
      session: sessionOf(String(chat), 'telegram', 'bot'),
      id: messageId({
        channel: 'telegram',
        account: 'bot',
        conversation: String(chat),
        kind: edit ? 'edit' : 'message',
        platformId: String(update),
        edit: edit ? date : 0,
      }),
      path: '/webhooks/telegram/bot',
      headers: { 'x-telegram-bot-api-secret-token': TELEGRAM_SECRET },
      body: JSON.stringify({ update_id: update, [edit ? 'edited_message' : 'message']: message }),
      control: false,
    };
  }

  /** Like a platform: again and again, here and there, until a 2xx. */
  private async deliver(post: Post, first: number): Promise<void> {
    for (let attempt = first; ; attempt++) {
      const ingress = this.fleet.of('ingress').filter(({ url }) => url !== '');
      const url = ingress[attempt % Math.max(1, ingress.length)]?.url;
      if (url && (await this.post(url, post))) return;
      this.counts.refused++;
      await sleep(RETRY_MS);
    }
  }

  private async post(url: string, { path, headers, body }: Post): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(GIVE_UP_MS);
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal,
      });
      await response.arrayBuffer();
      if (response.status >= 400 && response.status < 500)
        throw new Error(`The ingress refused a good webhook: ${response.status}`);
      return response.ok;
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('The ingress')) throw error;
      return false;
    }
  }

  private next(conversation: string): number {
    const n = (this.numbers.get(conversation) ?? 0) + 1;
    this.numbers.set(conversation, n);
    return n;
  }
}

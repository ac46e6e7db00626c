import type { InboundEvent } from '#contracts';
import { InvalidInputError, type Clock } from '#kernel';
import type { InboundChannel, WebhookRequest } from '../channel-port.js';
import { readJson, readValue } from '../json-body.js';
import { changedSchema, interactionSchema, requestSchema, saidSchema, slashCommandSchema } from './event.schema.js';
import { pressedEvents, slashEvent } from './interaction-event.js';
import { changedEvent, saidEvent, selfOf } from './message-event.js';
import { verifySlack } from './slack-signature.js';

interface SlackInboundOptions {
  channel: string;
  account: string;
  signingSecret: string;
  replyInThread: boolean;
  clock: Clock;
}

type SlackEvent = Omit<InboundEvent, 'channel' | 'account'>;

/** Subtypes of `message` in which somebody speaks. Joins, topics, pins and deletions are none. */
const SPOKEN = [undefined, 'file_share', 'thread_broadcast', 'me_message', 'bot_message'];

/** One app in one workspace: Events API, buttons and slash commands, all posted to the same address. */
export class SlackInbound implements InboundChannel {
  constructor(private readonly options: SlackInboundOptions) {}

  verify(request: WebhookRequest) {
    return verifySlack(request, this.options.signingSecret, this.options.clock.now());
  }

  handshake(request: WebhookRequest): { challenge: string } | undefined {
    if (isForm(request)) return undefined;
    const { type, challenge } = readJson(request, requestSchema);
    return type === 'url_verification' && challenge !== undefined ? { challenge } : undefined;
  }

  parse(request: WebhookRequest): InboundEvent[] {
    const { channel, account } = this.options;
    const events = isForm(request) ? formEvents(request) : this.postedEvents(request);
    return events.map((event) => ({ channel, account, ...event }));
  }

  private postedEvents(request: WebhookRequest): SlackEvent[] {
    const posted = readJson(request, requestSchema);
    const { type, event } = posted;
    if (type !== 'event_callback' || !event) return [];
    const self = selfOf(posted, this.options.replyInThread);
    const isMessage = event.type === 'message';
    if (isMessage && event.subtype === 'message_changed') return present(changedEvent(readValue(event, changedSchema), self));
    if (event.type !== 'app_mention' && !(isMessage && SPOKEN.includes(event.subtype))) return [];
    return present(saidEvent(readValue(event, saidSchema), self));
  }
}

/** Buttons and slash commands come as forms; the signature is over the form's bytes. */
function isForm({ headers }: WebhookRequest): boolean {
  return headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
}

function formEvents({ body }: WebhookRequest): SlackEvent[] {
  const form = new URLSearchParams(body.toString('utf8'));
  const payload = form.get('payload');
  if (payload !== null) return pressedEvents(readJson({ body: Buffer.from(payload) }, interactionSchema));
  if (form.has('command')) return [slashEvent(readValue(Object.fromEntries(form), slashCommandSchema))];
  throw new InvalidInputError('The form has neither payload nor command');
}

function present(event: SlackEvent | undefined): SlackEvent[] {
  return event ? [event] : [];
}

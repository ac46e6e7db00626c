import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Envelope } from '#contracts';
import { turnIdOf } from '#kernel';
import { Sessions, type LoggedEvent } from '#sessions';
import { CallerLimit } from '../access/caller-limit.js';
import { Callers, type Caller } from '../access/callers.js';
import { SessionAccess, type SessionPlace } from '../access/session-access.js';
import { commandAnswer, Commands } from '../commands/commands.service.js';
import { BEGINNING, EventReader } from '../events/event-reader.js';
import { Problem } from '../http/problem.js';
import { Input } from '../http/read-input.js';
import { RedisCalls } from '../http/redis-calls.js';
import { apiEnvelope } from '../messages/api-envelope.js';
import { messageBodySchema } from '../messages/message-body.schema.js';
import { MessageIntake } from '../messages/message-intake.js';
import type { Acknowledgement, AuthFrame, ChatHistory, SendFrame } from './chat-frames.schema.js';
import { chatTurn } from './chat-history.js';

/** Somebody at a session, as the token and the session rule allow. */
export interface Visitor {
  caller: Caller;
  place: SessionPlace;
}

/** Turns a page shows of the past. */
const TURNS_SHOWN = 100;

/** What the web chat does with sessions: the same rules and the same way in as the HTTP API. Everything throws Problem or UnavailableError. */
@Injectable()
export class WebchatService {
  private readonly body = new Input(messageBodySchema);

  constructor(
    private readonly callers: Callers,
    private readonly access: SessionAccess,
    private readonly limit: CallerLimit,
    private readonly commands: Commands,
    private readonly intake: MessageIntake,
    private readonly sessions: Sessions,
    private readonly events: EventReader,
    private readonly redis: RedisCalls,
  ) {}

  /** @param request that opened the connection */
  async enter({ token, session }: AuthFrame, request: IncomingMessage): Promise<Visitor> {
    const caller = this.callers.find(token);
    if (!caller) throw await this.limit.stranger(request, new Problem(401, 'unauthorized', 'The token is not known here.'));
    return { caller, place: this.access.resolve(caller, session) };
  }

  async send({ caller, place }: Visitor, { id, text }: SendFrame): Promise<Acknowledgement> {
    await this.limit.charge(caller);
    const body = this.body.transform({ message: text });
    const envelope = chatEnvelope(apiEnvelope(caller, place, body, id));
    const read = await this.commands.read(envelope);
    if (read.kind !== 'message') return commandAnswer(read);
    const { seq, duplicate } = await this.intake.acceptKeyed(read.envelope);
    return { messageId: envelope.id, turnId: turnIdOf(envelope.id, 0), sequence: seq, duplicate };
  }

  async stop({ caller, place }: Visitor): Promise<void> {
    await this.limit.charge(caller);
    await this.intake.cancel(place.key, { what: 'current' });
  }

  /**
   * What was said, and the cursor from which events complete it: committed turns come from the transcript, whatever the event
   * stream still holds; only the running turn is read from events.
   */
  async history({ caller, place }: Visitor, after?: string): Promise<ChatHistory> {
    await this.limit.charge(caller);
    const records = await this.redis.within(() => this.sessions.transcript(place.key, TURNS_SHOWN));
    const session = (place.address.channel === 'webchat' && place.address.conversation) || place.key;
    const known = after === undefined ? -1 : records.findLastIndex(({ at }) => at < millisOf(after));
    const resumes = after !== undefined && (known >= 0 || records.length < TURNS_SHOWN);
    if (resumes) {
      // From the last turn before it on: that one's messages may have come later.
      return { session, reset: false, turns: records.slice(Math.max(0, known)).map(chatTurn), cursor: after };
    }
    const committed = records.at(-1)?.at;
    // Sessions run one turn at a time: what runs now began after the last commit.
    return {
      session,
      reset: true,
      turns: records.map(chatTurn),
      cursor: committed === undefined ? BEGINNING : `${committed - 1}-0`,
    };
  }

  /** Until the signal fires. */
  follow({ place }: Visitor, after: string, signal: AbortSignal): AsyncGenerator<LoggedEvent, void, void> {
    return this.events.follow(place.key, after, signal);
  }
}

/** The page shows messages by their ids, so that an agent can answer one and react to it. */
function chatEnvelope(envelope: Envelope): Envelope {
  return { ...envelope, platform: { ...envelope.platform, messageId: envelope.id } };
}

function millisOf(cursor: string): number {
  return Number(cursor.split('-')[0]);
}

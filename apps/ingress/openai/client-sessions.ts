import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { messageId, type AgentId, type MessageId } from '#kernel';
import { apiSessionKey, parseSessionKey } from '#routing';
import type { Caller } from '../access/callers.js';
import { SessionAccess, type SessionPlace } from '../access/session-access.js';
import { Problem } from '../http/problem.js';
import { Invocation } from '../invoke/invocation.js';
import { readResponseId } from './response-id.js';

const FRESH = /^once-m[\w-]{23}$/;
/** Long enough to go on from a response, or to answer a question. */
const FRESH_KEPT_MS = 7 * 86_400_000;

/** Which session a request of an OpenAI client is for. */
@Injectable()
export class ClientSessions {
  constructor(
    private readonly access: SessionAccess,
    private readonly invocation: Invocation,
  ) {}

  /**
   * @param name a whole session key, or a name: that session of the agent
   * @throws Problem 400 a session of another agent, 403 of others
   */
  named(caller: Caller, agent: AgentId, name: string): SessionPlace {
    const isOwn = name === caller.session;
    const key = isOwn || parseSessionKey(name) ? name : apiSessionKey(caller.tenant, agent, name);
    const place = this.access.resolve(caller, key);
    if (place.address.agent === agent) return place;
    const detail = `The session ${place.key} is one of the agent ${place.address.agent}; ask for that model.`;
    throw new Problem(400, 'session-of-another-agent', detail, { errors: [{ path: 'model', message: detail }] });
  }

  /** A session of its own for one request: the same one when it comes again with its key. */
  fresh(caller: Caller, agent: AgentId, idempotencyKey: string = randomUUID()): SessionPlace {
    const scope = { channel: 'openai', account: caller.tenant, conversation: caller.name, kind: 'session' };
    const name = `once-${messageId({ ...scope, platformId: idempotencyKey })}`;
    return this.access.resolve(caller, apiSessionKey(caller.tenant, agent, name));
  }

  /** ms behind its last turn; undefined: for good. Sessions that were made for one request would only pile up. */
  keptFor({ address: { conversation } }: SessionPlace): number | undefined {
    return FRESH.test(conversation ?? '') ? FRESH_KEPT_MS : undefined;
  }

  /** The session of an earlier response. @throws like named; Problem 400 the response is not known (any more) */
  async ofResponse(caller: Caller, agent: AgentId, id: string): Promise<SessionPlace> {
    const previous = readResponseId(id);
    const place = previous && this.named(caller, agent, previous.session);
    if (place && (await this.isKnown(place, previous.message))) return place;
    const message =
      'No finished response with this id is kept here: it still runs, is too old, or its conversation was begun anew. Send the conversation as input instead.';
    throw new Problem(400, 'previous-response-not-found', message, { errors: [{ path: 'previous_response_id', message }] });
  }

  private async isKnown({ key }: SessionPlace, id: MessageId): Promise<boolean> {
    return (await this.invocation.recordOf({ session: key, id })) !== undefined;
  }
}

import { Injectable } from '@nestjs/common';
import { agentConfig, ConfigSource } from '#config';
import type { SessionKey } from '#kernel';
import { parseSessionKey, type ParsedSessionKey } from '#routing';
import { Problem } from '../http/problem.js';
import { Routes } from '../routing/routes.service.js';
import type { Caller } from './callers.js';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const ALLOWED =
  'Name a session with 1 to 64 of A-Z a-z 0-9 _ -, or give its whole key as an answer showed it (tenant.agent.channel.account.type.conversation).';

export interface SessionPlace {
  key: SessionKey;
  address: ParsedSessionKey;
}

/** Which session a request means, judged by who asks: nothing in a body can name one (T10, TN-1). */
@Injectable()
export class SessionAccess {
  constructor(
    private readonly config: ConfigSource,
    private readonly routes: Routes,
  ) {}

  /**
   * @param named a session's name or its whole key; undefined = the caller's own
   * @throws Problem 400 what is no session, 403 what belongs to others
   */
  resolve(caller: Caller, named?: string): SessionPlace {
    const { session: own } = caller;
    const place = this.place(caller, named ?? own ?? caller.name);
    if (!caller.admin) {
      if (place.address.tenant !== caller.tenant) throw forbidden('belongs to another tenant');
      if (own !== undefined && place.key !== this.place(caller, own).key)
        throw forbidden('is not the one session that this token may use');
    }
    // Last, so that nobody learns which agents another tenant has.
    if (!agentConfig(this.config.current, place.address.tenant, place.address.agent))
      throw new Problem(400, 'unknown-agent', 'The session key names an agent that is not configured.');
    return place;
  }

  private place({ tenant }: Caller, named: string): SessionPlace {
    const key = NAME.test(named) ? this.routes.of(tenant).routeNamed(named).session : (named as SessionKey);
    const address = parseSessionKey(key);
    if (!address) throw new Problem(400, 'invalid-session', `This is no session. ${ALLOWED}`);
    return { key, address };
  }
}

function forbidden(why: string): Problem {
  return new Problem(403, 'foreign-session', `This session ${why}. Leave the session out to use your own.`);
}

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ConfigSource } from '#config';
import type { TenantId } from '#kernel';

/** Who sent a request, as its bearer token says. */
export interface Caller {
  name: string;
  tenant: TenantId;
  /** The session of requests that name none; the only one, unless the caller is an admin. */
  session: string | undefined;
  /** May decide who is heard in its tenant. */
  pairing: boolean;
  admin: boolean;
  /** What it may do on the queue board. */
  board: 'viewer' | 'operator' | undefined;
  /** undefined: what all tokens may. */
  requestsPerMinute: number | undefined;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The tokens of the configuration. They are compared in constant time, and only their hashes are kept. */
@Injectable()
export class Callers {
  private readonly known: { hash: Buffer; caller: Caller }[];
  /** Signs what admins get instead of a token; the same on every replica, another one when an admin token changes. */
  readonly adminKey: Buffer;

  constructor({ current: { auth } }: ConfigSource) {
    this.known = auth.tokens.map(({ token, name, tenant, session, pairing, admin, board, requestsPerMinute }) => ({
      hash: digest(token),
      caller: { name, tenant: tenant as TenantId, session, pairing, admin, board: admin ? 'operator' : board, requestsPerMinute },
    }));
    if (auth.adminToken !== undefined) {
      const caller = {
        name: 'admin',
        tenant: 'default' as TenantId,
        session: undefined,
        pairing: true,
        admin: true,
        board: 'operator' as const,
        requestsPerMinute: undefined,
      };
      this.known.push({ hash: digest(auth.adminToken), caller });
    }
    const admins = this.known.filter(({ caller }) => caller.admin).map(({ hash }) => hash);
    this.adminKey = admins.length > 0 ? createHmac('sha256', Buffer.concat(admins)).update('admin').digest() : randomBytes(32);
  }

  find(token: string): Caller | undefined {
    const given = digest(token);
    let found: Caller | undefined;
    // No early end: the time must not tell which token nearly matched.
    for (const { hash, caller } of this.known) if (timingSafeEqual(hash, given)) found = caller;
    return found;
  }

  /** Of an `Authorization` header. */
  ofHeader(authorization: string | undefined): Caller | undefined {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    return token === undefined ? undefined : this.find(token);
  }
}

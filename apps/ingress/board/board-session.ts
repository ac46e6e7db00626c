import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Callers, type Caller } from '../access/callers.js';

/** `viewer` looks, `operator` also sends dead letters again. */
export type BoardRole = NonNullable<Caller['board']>;

const COOKIE = 'turnpike_board';
const OPEN = new RegExp(`(?:^|; *)${COOKIE}=(\\d{1,12})\\.(viewer|operator)\\.([\\w-]{43})(?:;|$)`);
const LIFE_S = 12 * 3600;

/** A browser's sign-in to the board: a cookie that says until when and as what, signed. It holds no token, and every replica knows it. */
@Injectable()
export class BoardSession {
  constructor(private readonly callers: Callers) {}

  /** A `Set-Cookie` value. @param secure the browser came over HTTPS */
  open(role: BoardRole, secure: boolean): string {
    const until = String(Math.floor(Date.now() / 1000) + LIFE_S);
    const attributes = `Path=/queues; Max-Age=${LIFE_S}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
    return `${COOKIE}=${until}.${role}.${this.sign(until, role)}; ${attributes}`;
  }

  /** @param cookies the `Cookie` header. @returns undefined: nobody is signed in */
  roleOf(cookies: string | undefined): BoardRole | undefined {
    const [, until = '', said, signature = ''] = OPEN.exec(cookies ?? '') ?? [];
    const role = said === 'viewer' || said === 'operator' ? said : undefined;
    if (!role || Number(until) <= Date.now() / 1000) return undefined;
    return timingSafeEqual(Buffer.from(signature), Buffer.from(this.sign(until, role))) ? role : undefined;
  }

  private sign(until: string, role: BoardRole): string {
    return createHmac('sha256', this.callers.adminKey).update(`board ${until} ${role}`).digest('base64url');
  }
}

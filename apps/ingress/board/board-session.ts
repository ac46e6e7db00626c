import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Callers } from '../access/callers.js';

const COOKIE = 'turnpike_board';
const OPEN = new RegExp(`(?:^|; *)${COOKIE}=(\\d{1,12})\\.([\\w-]{43})(?:;|$)`);
const LIFE_S = 12 * 3600;

/** A browser's sign-in to the board: a cookie that says until when, signed. It holds no token, and every replica knows it. */
@Injectable()
export class BoardSession {
  constructor(private readonly callers: Callers) {}

  /** A `Set-Cookie` value. @param secure the browser came over HTTPS */
  open(secure: boolean): string {
    const until = String(Math.floor(Date.now() / 1000) + LIFE_S);
    const attributes = `Path=/queues; Max-Age=${LIFE_S}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
    return `${COOKIE}=${until}.${this.sign(until)}; ${attributes}`;
  }

  /** @param cookies the `Cookie` header */
  isOpen(cookies: string | undefined): boolean {
    const [, until = '', signature = ''] = OPEN.exec(cookies ?? '') ?? [];
    const genuine = signature !== '' && timingSafeEqual(Buffer.from(signature), Buffer.from(this.sign(until)));
    return genuine && Number(until) > Date.now() / 1000;
  }

  private sign(until: string): string {
    return createHmac('sha256', this.callers.adminKey).update(`board ${until}`).digest('base64url');
  }
}

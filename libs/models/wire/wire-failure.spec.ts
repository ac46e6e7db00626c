import { expect, test } from 'vitest';
import { systemClock } from '#kernel';
import { wireFailure } from './wire-failure.js';

const failure = (status: number, message: string, headers: Record<string, string> = {}) =>
  wireFailure('p', { status, kinds: [], message, headers: new Headers(headers), isNetwork: false }, systemClock, (text) => text);

test.each([
  [429, 'Too Many Requests: retry after 401', { name: 'TransientError', code: 'rate_limit', retryAfterMs: 401_000 }],
  [400, 'upstream said 401 Unauthorized', { name: 'TerminalError', code: 'format' }],
  [500, 'request 429404 failed', { name: 'TransientError', code: 'server_error' }],
])('MO-3 B113 %i "%s" is told by its status, not by a number in its text', (status, message, expected) => {
  expect(failure(status, message, { 'retry-after': '401' })).toMatchObject(expected);
});

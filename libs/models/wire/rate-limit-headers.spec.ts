import { describe, expect, test } from 'vitest';
import { accountOf } from './account.js';
import { limitsSaid } from './rate-limit-headers.js';

const NOTHING = { limit: undefined, remaining: undefined };

describe('QU-5 what an answer says of its limits', () => {
  test('QU-5 OpenAI and Anthropic name requests and tokens, limits and what is left', () => {
    const openai = {
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-limit-tokens': '30000',
      'x-ratelimit-remaining-tokens': '29992',
      'x-ratelimit-reset-tokens': '16ms',
    };
    const anthropic = {
      'anthropic-ratelimit-requests-limit': '500',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-tokens-limit': '30000',
      'anthropic-ratelimit-tokens-remaining': '29992',
    };
    const expected = { requests: { limit: 500, remaining: 0 }, tokens: { limit: 30_000, remaining: 29_992 } };
    expect(limitsSaid(new Headers(openai))).toEqual(expected);
    expect(limitsSaid(new Headers(anthropic))).toEqual(expected);
  });

  test.each([
    ['no word of them', {}],
    ['a limit of 0, which means none', { 'x-ratelimit-limit-requests': '0', 'x-ratelimit-remaining-requests': '0' }],
    ['no numbers', { 'x-ratelimit-limit-requests': 'unlimited', 'x-ratelimit-remaining-tokens': '-1' }],
  ])('QU-5 %s is nothing', (_, headers: Record<string, string>) => {
    expect(limitsSaid(new Headers(headers))).toBeUndefined();
  });

  test('QU-5 what is left of one of both is worth hearing', () => {
    const said = limitsSaid(new Headers({ 'x-ratelimit-remaining-requests': '0' }));
    expect(said).toEqual({ requests: { limit: undefined, remaining: 0 }, tokens: NOTHING });
  });
});

test('QU-5 an account is one provider, server and key, and does not give the key away', () => {
  const accounts = [
    accountOf('openai', undefined, 'sk-1'),
    accountOf('openai', undefined, 'sk-2'),
    accountOf('openai', 'http://other', 'sk-1'),
    accountOf('acme', undefined, 'sk-1'),
  ];
  expect(new Set(accounts).size).toBe(4);
  expect(accountOf('openai', undefined, 'sk-1')).toBe(accounts[0]);
  expect(accounts.join()).not.toContain('sk-');
});

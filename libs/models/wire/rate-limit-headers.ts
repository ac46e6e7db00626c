import type { SaidLimit } from '#agent';

/**
 * What an answer says of the limits it was counted against, or undefined. OpenAI and most compatible servers write
 * `x-ratelimit-<what>-<requests|tokens>`, Anthropic `anthropic-ratelimit-<requests|tokens>-<what>`. The reset times are not
 * read: they say when everything is back, not when the next call has room.
 */
export function limitsSaid(headers: Headers): { requests: SaidLimit; tokens: SaidLimit } | undefined {
  const requests = saidOf(headers, 'requests');
  const tokens = saidOf(headers, 'tokens');
  const silent = [requests, tokens].every(({ limit, remaining }) => limit === undefined && remaining === undefined);
  return silent ? undefined : { requests, tokens };
}

function saidOf(headers: Headers, of: 'requests' | 'tokens'): SaidLimit {
  const read = (what: 'limit' | 'remaining') =>
    count(headers.get(`x-ratelimit-${what}-${of}`) ?? headers.get(`anthropic-ratelimit-${of}-${what}`));
  const limit = read('limit');
  // A limit of 0 is how some servers write "none".
  return limit === 0 ? { limit: undefined, remaining: undefined } : { limit, remaining: read('remaining') };
}

function count(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}

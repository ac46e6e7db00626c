import { InvalidInputError } from '#kernel';
import { TEXT_ONLY, type ChannelAccount, type ChannelDescription, type WebhookRequest } from '#channels';

/** What a channel from outside may look like: everything it is asked is in `asked`. */
interface ExampleAccount {
  account: ChannelAccount;
  asked: WebhookRequest[];
}

const description: ChannelDescription = {
  name: 'example',
  title: 'Example',
  capabilities: { ...TEXT_ONLY, maxTextLength: 1000 },
  dedupeId: 'id',
  retryWindowMs: 60_000,
  notes: [],
};

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function pieces(text: string, limit: number): string[] {
  const found = [''];
  for (const { segment } of graphemes.segment(text.toWellFormed())) {
    const last = found.length - 1;
    if (`${found[last]}${segment}`.length <= limit) found[last] += segment;
    else found.push(segment);
  }
  const visible = found.filter((piece) => piece.trim() !== '');
  return visible.length > 0 ? visible : found.slice(0, 1);
}

/** Proves itself by `token` in its query or `x-token`; asks by GET or by a form whether the address is its own, and posts nothing an agent could see. */
export function exampleAccount(): ExampleAccount {
  const asked: WebhookRequest[] = [];
  const account: ChannelAccount = {
    channel: 'example',
    account: 'one',
    description,
    inbound: {
      verify: ({ headers, query }) =>
        (headers['x-token'] ?? query['token']) === 'right' ? { ok: true } : { ok: false, reason: 'token is wrong' },
      handshake(request) {
        asked.push(request);
        if (request.method === 'GET') return request.query['challenge'];
        const challenge = new URLSearchParams(request.body.toString('utf8')).get('challenge');
        return challenge === null ? undefined : { challenge };
      },
      parse({ body }) {
        if (!body.includes('=')) throw new InvalidInputError('The body is no form');
        return [];
      },
    },
    outbound: {
      capabilities: description.capabilities,
      render: ({ text }) => pieces(text, description.capabilities.maxTextLength).map((piece) => ({ text: piece, payload: {} })),
      send: async (_target, _chunk, { idempotencyKey }, signal) =>
        signal.aborted ? { kind: 'retry', reason: 'stopped' } : { kind: 'sent', platformId: idempotencyKey },
    },
  };
  return { account, asked };
}

import type { ChannelAccount, ChannelDescription, WebhookRequest } from '#channels';

/** What a channel from outside may look like: everything it is asked is in `asked`. */
interface ExampleAccount {
  account: ChannelAccount;
  asked: WebhookRequest[];
}

const description: ChannelDescription = {
  name: 'example',
  title: 'Example',
  capabilities: {
    immediateSend: true,
    batch: false,
    dedupe: false,
    threads: false,
    reply: false,
    edit: false,
    delete: false,
    react: false,
    buttons: 0,
    media: [],
    mediaIn: [],
    typing: false,
    stream: 'none',
    maxTextLength: 1000,
    lengthUnit: 'utf16',
  },
  dedupeId: 'id',
  retryWindowMs: 60_000,
  notes: [],
};

/** Proves itself by `token` in its query; asks by GET or by a form whether the address is its own, and posts nothing an agent could see. */
export function exampleAccount(): ExampleAccount {
  const asked: WebhookRequest[] = [];
  const account: ChannelAccount = {
    channel: 'example',
    account: 'one',
    description,
    inbound: {
      verify: ({ query }) => (query['token'] === 'right' ? { ok: true } : { ok: false, reason: 'token is wrong' }),
      handshake(request) {
        asked.push(request);
        if (request.method === 'GET') return request.query['challenge'];
        const challenge = new URLSearchParams(request.body.toString('utf8')).get('challenge');
        return challenge === null ? undefined : { challenge };
      },
      parse: () => [],
    },
    outbound: {
      capabilities: description.capabilities,
      render: ({ text }) => [{ text, payload: {} }],
      send: async () => ({ kind: 'sent', platformId: 'x' }),
    },
  };
  return { account, asked };
}

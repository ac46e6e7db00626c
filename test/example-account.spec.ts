import { channelContract } from './contract-kit.js';
import { exampleAccount } from './example-account.js';
import { posted } from './fixtures-of.js';

channelContract('a channel from outside', { webhook: true, http: false }, async () => {
  const { account } = exampleAccount();
  const genuine = posted(Buffer.from('payload=x'), { 'x-token': 'right' });
  return {
    account,
    target: { channel: 'example', account: 'one', conversation: 'c' },
    inbound: { genuine, proof: 'x-token', signsBody: false, fixtures: [genuine], unknown: genuine, skew: 'no time is signed' },
    close: async () => undefined,
  };
});

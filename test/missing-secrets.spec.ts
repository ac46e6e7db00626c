import { expect } from 'vitest';
import { Fleet } from './harness/fleet.js';
import { proves } from './proves.js';

const nowhere = { redisUrl: 'redis://127.0.0.1:9', modelUrl: 'http://127.0.0.1:9', toolUrl: 'http://127.0.0.1:9' };

/** Section -> its account without what proves that a request is the platform's; and the name of that. */
const ACCOUNTS: Record<string, [account: object, proof: string]> = {
  telegram: [{ botToken: '600077:token' }, 'secretToken'],
  slack: [{ botToken: 'xoxb-1-token' }, 'signingSecret'],
  discord: [{ applicationId: '100000000000000001', botToken: 'a.bot-token' }, 'publicKey'],
  whatsapp: [{ phoneNumberId: '1', accessToken: 'a-token-of-a-system-user', verifyToken: 'a-verify-token-0001' }, 'appSecret'],
  feishu: [{ appId: 'cli_1', appSecret: 'feishu-app-secret', botOpenId: 'ou_bot' }, 'verificationToken'],
  webhook: [{ outboundUrl: 'http://127.0.0.1:9/' }, 'secret'],
};

proves(
  ['B041', 'IN-1'],
  'without the secret that proves its requests an account lets no process start, and the error names it',
  async () => {
    const channels = Object.fromEntries(
      Object.entries(ACCOUNTS).map(([section, [account]]) => [section, { accounts: { one: account } }]),
    );
    const fleet = new Fleet({ ...nowhere, config: { channels } });
    try {
      const ingress = fleet.spawn('ingress');
      expect((await ingress.exited).code).toBe(78);
      const said = JSON.stringify(ingress.lines);
      for (const [section, [, proof]] of Object.entries(ACCOUNTS))
        expect(said).toContain(`channels.${section}.accounts.one.${proof}`);
    } finally {
      await fleet.close();
    }
  },
);

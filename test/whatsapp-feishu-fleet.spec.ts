import { createHash, createHmac } from 'node:crypto';
import { channelFleetContract, fivePartsOf } from './channel-fleet-kit.js';
import { feishuFault, startFeishuServer } from './fakes/feishu-server.js';
import { startWhatsAppServer, whatsappFault } from './fakes/whatsapp-server.js';

const json = { 'content-type': 'application/json' };

channelFleetContract('whatsapp', async () => {
  const [token, number, appSecret] = ['a-token-of-a-system-user', '200000000000001', 'a-secret-of-the-fleet-kit'];
  const server = await startWhatsAppServer({ token, number });
  const options = { accessToken: token, appSecret, verifyToken: 'a-verify-token-0001', phoneNumberId: number };
  return {
    section: 'whatsapp',
    options: { ...options, apiRoot: server.url, rates: { pair: { count: 1000, perMs: 1 } } },
    target: (conversation) => ({ channel: 'whatsapp', account: 'kit', conversation }),
    event(n, from, text) {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const message = { from, id: `wamid.${n}`, timestamp, type: 'text', text: { body: text } };
      const value = { metadata: { phone_number_id: number }, messages: [message] };
      const entry = [{ id: '1', changes: [{ field: 'messages', value }] }];
      const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
      const signature = createHmac('sha256', appSecret).update(body).digest('hex');
      return { body, headers: { ...json, 'x-hub-signature-256': `sha256=${signature}` } };
    },
    taken: (conversation) => server.posts.filter(({ to }) => to === conversation).map(({ text }) => text),
    fail: server.fail,
    tooMany: whatsappFault.throughput(),
    fiveParts: fivePartsOf(4096),
    close: server.close,
  };
});

channelFleetContract('feishu', async () => {
  const app = { appId: 'cli_example0001', appSecret: 'feishu-app-secret' };
  const [encryptKey, verificationToken] = ['a-key-of-the-fleet-kit', 'a-verify-token-0001'];
  const server = await startFeishuServer(app);
  return {
    section: 'feishu',
    options: { ...app, encryptKey, verificationToken, botOpenId: 'ou_bot', apiRoot: server.url },
    target: (conversation) => ({ channel: 'feishu', account: 'kit', conversation }),
    event(n, chat_id, text) {
      const create_time = String(Date.now());
      const header = {
        event_id: `f${n}`,
        event_type: 'im.message.receive_v1',
        create_time,
        token: verificationToken,
        app_id: app.appId,
      };
      const sender = { sender_id: { open_id: 'ou_example1' }, sender_type: 'user' };
      const said = { message_type: 'text', content: JSON.stringify({ text }) };
      const message = { message_id: `om_${n}`, create_time, chat_id, chat_type: 'p2p', ...said };
      const body = JSON.stringify({ schema: '2.0', header, event: { sender, message } });
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signature = createHash('sha256').update(`${timestamp}n${encryptKey}${body}`).digest('hex');
      const proof = { 'x-lark-request-timestamp': timestamp, 'x-lark-request-nonce': 'n', 'x-lark-signature': signature };
      return { body, headers: { ...json, ...proof } };
    },
    taken: (conversation) => server.posts.filter(({ chat }) => chat === conversation).map(({ text }) => text),
    fail: server.fail,
    tooMany: feishuFault.appLimit(1),
    fiveParts: fivePartsOf(24_000),
    close: server.close,
  };
});

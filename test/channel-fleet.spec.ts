import { createHmac } from 'node:crypto';
import { channelFleetContract, fivePartsOf } from './channel-fleet-kit.js';
import { startTelegramServer, telegramFault } from './fakes/telegram-server.js';
import { startWebhookReceiver } from './fakes/webhook-receiver.js';

const SECRET = 'a-secret-of-the-fleet-kit';
const json = { 'content-type': 'application/json' };

channelFleetContract('telegram', async () => {
  const server = await startTelegramServer();
  return {
    section: 'telegram',
    options: { botToken: '600077:token', secretToken: SECRET, apiRoot: server.url },
    target: (conversation) => ({ channel: 'telegram', account: 'kit', conversation }),
    event(n, conversation, text) {
      const from = { id: Number(conversation), is_bot: false, first_name: 'Ann' };
      const chat = { id: Number(conversation), type: 'private' };
      const message = { message_id: n, date: 1764547200, chat, from, text };
      return { body: JSON.stringify({ update_id: n, message }), headers: { ...json, 'x-telegram-bot-api-secret-token': SECRET } };
    },
    taken: (conversation) => server.posts.filter(({ chatId }) => chatId === conversation).map(({ text }) => text),
    fail: server.fail,
    tooMany: telegramFault.floodWait(1),
    fiveParts: fivePartsOf(4096),
    close: server.close,
  };
});

channelFleetContract('generic', async () => {
  const receiver = await startWebhookReceiver({ dedupe: false, secret: SECRET });
  return {
    section: 'webhook',
    options: { secret: SECRET, outboundUrl: receiver.url, dedupe: false, maxTextLength: 500 },
    target: (conversation) => ({ channel: 'generic', account: 'kit', conversation }),
    event(n, conversation, text) {
      const event = {
        type: 'message',
        id: `e${n}`,
        conversation: { id: conversation, type: 'direct' },
        sender: { id: 'ann' },
        text,
      };
      const body = JSON.stringify(event);
      const signature = createHmac('sha256', SECRET).update(body).digest('hex');
      return { body, headers: { ...json, 'x-signature-256': `sha256=${signature}` } };
    },
    taken: (conversation) => receiver.messages.filter((message) => message.conversation === conversation).map(({ text }) => text),
    fail: receiver.fail,
    tooMany: { kind: 'answer', status: 429, headers: { 'retry-after': '1' } },
    fiveParts: fivePartsOf(500),
    close: receiver.close,
  };
});

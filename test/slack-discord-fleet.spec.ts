import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { channelFleetContract, fivePartsOf } from './channel-fleet-kit.js';
import { discordFault, startDiscordServer } from './fakes/discord-server.js';
import { slackFault, startSlackServer } from './fakes/slack-server.js';

const json = { 'content-type': 'application/json' };
const nowInSeconds = (): string => String(Math.floor(Date.now() / 1000));

channelFleetContract('slack', async () => {
  const signingSecret = 'a-secret-of-the-fleet-kit';
  const server = await startSlackServer();
  return {
    section: 'slack',
    options: { botToken: 'xoxb-1-token', signingSecret, apiRoot: server.url },
    target: (conversation) => ({ channel: 'slack', account: 'kit', conversation }),
    event(n, channel, text) {
      const event = { type: 'message', channel, channel_type: 'im', user: 'U0ANN', ts: `1764547200.${n}`, text };
      const body = JSON.stringify({ type: 'event_callback', event_id: `Ev${n}`, event });
      const time = nowInSeconds();
      const signature = createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex');
      return { body, headers: { ...json, 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${signature}` } };
    },
    taken: (conversation) => server.posts.filter(({ channel }) => channel === conversation).map(({ text }) => text),
    fail: server.fail,
    tooMany: slackFault.rateLimited(1),
    fiveParts: fivePartsOf(3000),
    close: server.close,
  };
});

channelFleetContract('discord', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const server = await startDiscordServer();
  return {
    section: 'discord',
    options: {
      applicationId: '100000000000000001',
      publicKey: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex'),
      botToken: 'a.bot-token',
      apiRoot: server.url,
    },
    target: (conversation) => ({ channel: 'discord', account: 'kit', conversation }),
    event(n, channel_id, text) {
      const token = `token-${n}`;
      server.defer(token, channel_id);
      const data = { name: 'ask', options: [{ name: 'question', type: 3, value: text }] };
      const user = { id: '200000000000000001', username: 'ann' };
      const body = JSON.stringify({ id: `30${n}`, application_id: '100000000000000001', type: 2, token, channel_id, user, data });
      const time = nowInSeconds();
      const signature = sign(null, Buffer.from(time + body), privateKey).toString('hex');
      return { body, headers: { ...json, 'x-signature-timestamp': time, 'x-signature-ed25519': signature } };
    },
    taken: (conversation) => server.posts.filter(({ channel }) => channel === conversation).map(({ content }) => content),
    fail: server.fail,
    tooMany: discordFault.rateLimited(1),
    fiveParts: fivePartsOf(2000),
    close: server.close,
  };
});

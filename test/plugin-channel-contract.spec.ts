import { createHmac } from 'node:crypto';
import { Hooks } from '#agent';
import { openPluginChannels } from '#plugins';
import { createLogger } from '#telemetry';
import { channelContract } from './contract-kit.js';
import { startScriptedServer } from './fakes/scripted-server.js';
import { posted } from './fixtures-of.js';

const PARCEL = new URL('./fixtures/parcel/', import.meta.url).pathname;
const SECRET = 'a-secret-of-the-parcel-service';

function event(message: object) {
  const body = Buffer.from(JSON.stringify(message));
  return posted(body, { 'x-parcel-signature': createHmac('sha256', SECRET).update(body).digest('hex') });
}

/** What a channel of somebody else's is held to, exactly as those of Turnpike. */
channelContract('a channel that a plugin brings', { webhook: true, http: true }, async () => {
  let arrived = 0;
  const platform = await startScriptedServer({
    record() {
      arrived += 1;
      return () => undefined;
    },
    answer: () => ({ status: 200, body: '' }),
  });
  const settings = {
    enabled: true,
    blockedMs: 15_000,
    directory: '/nowhere',
    load: { paths: [PARCEL], packages: [] },
    entries: {},
    slots: {},
  };
  const config = { url: platform.url, secret: SECRET };
  const [account] = await openPluginChannels(settings, [{ channel: 'parcel', account: 'one', config, path: 'here' }], {
    logger: createLogger({ level: 'silent', name: 'test' }).logger,
    hooks: new Hooks(),
    storage: () => {
      throw new Error('It keeps nothing');
    },
    complete: () => Promise.reject(new Error('It asks no model')),
  });
  if (!account) throw new Error('It did not open');
  const genuine = event({ id: 'e1', chat: 'c1', from: 'ann', text: 'hello' });
  return {
    account,
    target: { channel: 'parcel', account: 'one', conversation: 'c1' },
    inbound: {
      genuine,
      proof: 'x-parcel-signature',
      signsBody: true,
      fixtures: [genuine],
      unknown: event({ id: 'e2', chat: 'c1', from: 'ann' }),
      skew: 'no time is signed',
    },
    wire: {
      fail: platform.fail,
      arrived: () => arrived,
      answers: [
        { says: 'not this chat', fault: { kind: 'answer', status: 403 }, outcome: 'refused' },
        {
          says: 'too many',
          fault: { kind: 'answer', status: 429, headers: { 'retry-after': '3' } },
          outcome: 'retry',
          floorMs: 3000,
        },
        { says: 'broken', fault: { kind: 'answer', status: 500 }, outcome: 'unknown' },
      ],
    },
    close: platform.close,
  };
});

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ChatWorld, sends } from './chat-world.js';
import { startScriptedServer, type ScriptedServer } from './fakes/scripted-server.js';
import { Fleet, type Member } from './harness/fleet.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

const PARCEL = new URL('./fixtures/parcel/', import.meta.url).pathname;
const SECRET = 'a-secret-of-the-parcel-service';

let platform: ScriptedServer;
/** What the parcel service was sent: `<chat> <text>`. */
const taken: string[] = [];
let world: ChatWorld;
let ingress: Member | undefined;

beforeAll(async () => {
  platform = await startScriptedServer({
    record: () => () => undefined,
    answer({ body, headers }) {
      const genuine = createHmac('sha256', SECRET).update(body).digest('hex') === headers['x-parcel-signature'];
      const { chat, text } = JSON.parse(body) as { chat: string; text: string };
      if (genuine) taken.push(`${chat} ${text}`);
      return { status: genuine ? 200 : 401, body: '' };
    },
  });
  const accounts = {
    main: { config: { url: platform.url, secret: SECRET } },
    broken: { config: { url: 'unset', secret: SECRET } },
  };
  world = await ChatWorld.start({
    config: {
      plugins: { load: { paths: [PARCEL] } },
      channels: { plugins: { parcel: { accounts } } },
      access: { dmPolicy: 'open' },
      lanes: { deliveries: { requestTimeoutMs: 400, maxTries: 1 } },
    },
  });
  [ingress] = await world.fleet.start('ingress');
}, 90_000);
afterAll(async () => {
  await world?.close();
  await platform?.close();
});

let events = 0;

async function post(text: string, { account = 'main', secret = SECRET, id = `e${++events}`, chat = '1' } = {}): Promise<number> {
  const body = JSON.stringify({ id, chat, from: 'ann', text });
  const headers = { 'x-parcel-signature': createHmac('sha256', secret).update(body).digest('hex') };
  const { status } = await fetch(`${ingress?.url}/webhooks/parcel/${account}`, { method: 'POST', body, headers });
  return status;
}

const takes = (...texts: string[]) =>
  waitUntil(
    'the parcel service has it',
    () => taken.slice(-texts.length),
    (last) => JSON.stringify(last) === JSON.stringify(texts),
  );

describe('a channel that a plugin brings', () => {
  proves(
    ['TO-2', 'OUT-2', 'IN-4'],
    'its webhook is verified, its messages are answered once and in order, its tools are there',
    async () => {
      const ask = { toolCalls: [{ name: 'parcel_status', arguments: { parcel: 'P1' } }] };
      world.script('where is it', [ask, sends('one moment'), { text: `It is **in the van**. ${'x'.repeat(250)}` }]);
      expect(await post('where is it', { secret: 'somebody else' })).toBe(401);
      expect([await post('where is it', { id: 'same' }), await post('where is it', { id: 'same' })]).toEqual([200, 200]);
      await waitUntil(
        'the answer is there, in two parts',
        () => taken.length,
        (count) => count >= 3,
      );
      await world.idle();
      expect(taken[0]).toBe('1 one moment');
      expect(
        taken
          .slice(1)
          .map((text) => text.slice(2))
          .join(''),
      ).toMatch(/^It is in the van\. ?x{250}$/);
      expect(taken).toHaveLength(3);
      expect(world.asked('where is it')[1]?.body.messages.at(-1)).toMatchObject({ content: 'P1 is in the van' });
    },
  );

  proves(['TO-2', 'OUT-1'], 'what its code throws or never ends becomes an outcome, and the next message goes on', async () => {
    for (const [index, text] of ['throw', 'hang', 'unrenderable'].entries()) {
      world.script(`go ${text}`, [{ text }]);
      expect(await post(`go ${text}`, { chat: '2' })).toBe(200);
      const given = () => world.lines({ msg: 'Message given up' }, 'dispatcher');
      await waitUntil(`${text} is given up`, given, ({ length }) => length > index);
    }
    expect(world.lines({ msg: 'Message given up' }).map(({ state, reason }) => [state, reason])).toEqual([
      ['unknown', 'Error: the sky fell'],
      ['unknown', 'it did not answer in time'],
      ['dead', 'it could not be rendered: Error: no such font'],
    ]);
    await post('and now', { chat: '2' });
    await takes('2 done and now');
  });

  proves(['TO-2', 'TO-3'], 'an account that does not open harms no other: its platform is asked to come again', async () => {
    expect(await post('hello', { account: 'broken' })).toBe(503);
    expect(await post('hello')).toBe(200);
    await takes('1 done hello');
    expect(world.lines({ msg: 'Account of a plugin failed: it does not work', account: 'broken' }).length).toBeGreaterThan(0);
  });

  proves(['TO-2', 'OUT-1'], 'what is sent to an account that does not open waits, however few tries a message has', async () => {
    await world.ended(await world.say({ channel: 'parcel', account: 'broken', conversation: '3' }, 'to nobody'));
    const [dispatcher] = world.fleet.of('dispatcher');
    const port = dispatcher?.lines.find(({ msg }) => msg === 'Health, readiness and metrics')?.['port'];
    const held = 'turnpike_outbound_throttled_total{channel="parcel",scope="platform"} 1';
    await waitUntil(
      'it is held',
      async () => (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text(),
      (metrics) => metrics.includes(held),
    );
    expect(world.lines({ msg: 'Message given up' })).toHaveLength(3);
  });

  proves(['OUT-2', 'TO-2'], 'GET /api/channels lists its account beside the others', async () => {
    const answer = await fetch(`${ingress?.url}/api/channels`, { headers: { authorization: 'Bearer test-admin-token-0000' } });
    const text = await answer.text();
    expect(text).not.toContain('its url is not set');
    expect(JSON.parse(text)).toMatchObject({
      channels: expect.arrayContaining([expect.objectContaining({ channel: 'parcel', account: 'main' })]),
    });
    expect(text).not.toContain(SECRET);
  });
});

proves(['TO-3', 'OP-6'], 'its accounts are checked by the manifest before any code of it runs', async () => {
  const nowhere = { redisUrl: 'redis://127.0.0.1:9', modelUrl: 'http://127.0.0.1:9', toolUrl: '' };
  const start = async (config: object, more: object = {}): Promise<string> => {
    const plugins = { load: { paths: [PARCEL] }, ...more };
    const fleet = new Fleet({ ...nowhere, config: { plugins, channels: { plugins: config } } });
    const { exited, lines } = fleet.spawn('dispatcher');
    expect(await exited).toMatchObject({ code: 78 });
    await fleet.close();
    return JSON.stringify(lines);
  };
  const short = { parcel: { accounts: { one: { config: { url: 'http://127.0.0.1:9', secret: 'short', limit: 1 } } } } };
  const wrong = await start(short);
  expect(wrong).toContain('channels.plugins.parcel.accounts.one.config.secret');
  expect(wrong).toContain('channels.plugins.parcel.accounts.one.config.limit');
  expect(await start({ parcle: { accounts: { one: {} } } })).toContain('no plugin brings the channel parcle');
  expect(await start({ telegram: { accounts: { one: {} } } })).toContain('telegram is a channel of Turnpike itself');
  expect(await start(short, { entries: { parcel: { enabled: false } } })).toContain('plugins.entries.parcel.enabled');
});

import { afterAll, beforeAll, expect, inject } from 'vitest';
import { startIngressWorld, TOKEN, type IngressWorld } from './ingress-world.js';
import { pluginFolder } from './plugin-folder.js';
import { proves } from './proves.js';

const code = `import { definePluginEntry } from 'turnpike/plugin-sdk';
export default definePluginEntry({ id: 'board', register(api) {
  api.registerService({ id: 'never', start() { throw new Error('services belong to the runner'); } });
  api.registerHttpRoute({ path: '/notes', method: 'POST', async handler({ body, query, tenant, caller }) {
    await api.storage.of(tenant).set('note', body.note);
    return { status: 201, body: { tenant, caller, query, kept: await api.storage.of(tenant).get('note') } };
  } });
  api.registerHttpRoute({ path: '/notes', method: 'GET', handler: async ({ tenant }) => ({ body: String(await api.storage.of(tenant).get('note')) }) });
  api.registerHttpRoute({ path: '/fails', method: 'GET', handler() { throw new Error('a secret of the plugin'); } });
} });`;
const root = pluginFolder({
  board: { manifest: { activation: { onStartup: false }, contracts: { httpRoutes: ['/notes', '/fails'] } }, code },
  // Without routes, none of its code runs in an ingress.
  other: { manifest: {}, code: `process.exit(1);` },
});

let world: IngressWorld;
beforeAll(async () => {
  world = await startIngressWorld(inject('redisUrl'), { plugins: { load: { paths: [root] } } });
});
afterAll(() => world?.close());

proves(
  'TO-2',
  'a plugin answers HTTP requests under its own name, for whoever has a token, and keeps tenants apart',
  async () => {
    const note = { body: { note: 'hello' } };
    expect((await world.call('POST', '/plugins/board/notes', note)).status).toBe(401);
    const { status, body } = await world.call('POST', '/plugins/board/notes?a=1', { ...note, token: TOKEN.eve });
    expect([status, body]).toEqual([201, { tenant: 'acme', caller: 'eve', query: { a: '1' }, kept: 'hello' }]);
    expect((await world.call('GET', '/plugins/board/notes', { token: TOKEN.ann })).body).toEqual({ text: 'undefined' });
    expect((await world.call('GET', '/plugins/board/notes', { token: TOKEN.eve })).body).toEqual({ text: 'hello' });
    for (const path of ['/plugins/board/none', '/plugins/none/notes', '/plugins/other/notes'])
      expect((await world.call('GET', path, { token: TOKEN.ann })).body).toMatchObject({ status: 404 });
    const failed = await world.call('GET', '/plugins/board/fails', { token: TOKEN.ann });
    expect([failed.status, JSON.stringify(failed.body)]).toEqual([502, expect.not.stringContaining('secret')]);
  },
);

import { afterAll, beforeAll, describe, expect } from 'vitest';
import { z } from 'zod';
import type { SessionKey } from '#kernel';
import { ChatWorld } from './chat-world.js';
import { waitUntil } from './harness/wait-until.js';
import { pluginFolder, toolPlugin, writePlugin } from './plugin-folder.js';
import { proves } from './proves.js';

const TOKEN = { ann: 'a-token-of-ann-0000', eve: 'a-token-of-eve-of-acme', desk: 'a-token-of-the-desk-0' };

const sessionNamed = (name: string) => `default.main.webchat.default.direct.${name}` as SessionKey;

const manifest = (tool: string, metadata: object) => ({ contracts: { tools: [tool] }, toolMetadata: { [tool]: metadata } });
const strict = `import { defineToolPlugin, Type } from 'turnpike/plugin-sdk';
export default defineToolPlugin({ id: 'strict', name: 'Strict', description: 'A plugin of a test.',
  tools: (tool) => [tool({ name: 'strict_add', description: 'Adds.', effect: 'idempotent',
    parameters: Type.Object({ by: Type.Integer({ minimum: 1 }) }),
    async execute({ by }, _config, { session }) {
      const sum = ((await session.get('sum')) ?? 0) + by;
      await session.set('sum', sum);
      if (by === 13) throw new Error('thirteen');
      return String(sum);
    } })] });`;
/** What is meant for models, and goes wrong for calls that none has asked for. */
const meddling = `import { definePluginEntry } from 'turnpike/plugin-sdk';
export default definePluginEntry({ id: 'meddling', name: 'Meddling', description: 'A plugin of a test.', register(api) {
  api.on('before_agent_start', ({ session }) => session.endsWith('.closed') ? { block: 'closed' } : undefined);
  api.on('before_prompt_build', () => ({ tools: [] }));
  api.on('llm_input', ({ request }) => ({ request: { ...request, messages: [...request.messages, { role: 'user', text: 'Be kind.' }] } }));
  api.on('message_sending', ({ mode }) => { if (mode === 'final') throw new Error('a check that does not work'); });
  api.on('before_tool_call', ({ arguments: { value } }) => value === 'forbidden' ? { block: 'not this one' } : undefined);
} });`;
const root = pluginFolder({
  meddling: { manifest: {}, code: meddling },
  strict: { manifest: { contracts: { tools: ['strict_add'] } }, code: strict },
  shell: { manifest: manifest('run_it', { group: 'runtime' }), code: toolPlugin('shell', 'run_it', 'ran') },
  allowed: { manifest: manifest('run_this', { group: 'runtime' }), code: toolPlugin('allowed', 'run_this', 'ran this') },
});

let world: ChatWorld;
let urls: string[];
beforeAll(async () => {
  world = await ChatWorld.start({
    runners: 2,
    config: {
      plugins: { load: { paths: [root] } },
      tools: { deny: ['demo_search'], invoke: { allow: ['run_this'] } },
      auth: {
        tokens: [
          { name: 'ann', token: TOKEN.ann },
          { name: 'eve', token: TOKEN.eve, tenant: 'acme' },
          { name: 'desk', token: TOKEN.desk, session: 'desk' },
        ],
      },
      tenants: { acme: { agents: { main: { model: 'openai/stage' } } } },
    },
  });
  urls = (await world.fleet.start('ingress', 2)).map(({ url }) => url);
}, 90_000);
afterAll(() => world?.close());

const answerSchema = z.looseObject({
  ok: z.boolean().optional(),
  result: z.object({ text: z.string() }).optional(),
  error: z.object({ type: z.string(), message: z.string() }).optional(),
  detail: z.string().optional(),
  turnId: z.string().optional(),
});

async function invoke(body: object, { token = TOKEN.ann, at = 0, headers = {}, path = '/api/tools/invoke' } = {}) {
  const response = await fetch(`${urls[at]}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, ...answerSchema.parse(await response.json()) };
}
const runsOf = (effect: string, turn = '') =>
  world.judge.executions.filter((run) => run.effect === effect && (turn === '' || run.turn === turn));

proves('TO-6', 'a runner calls the tool as in a turn, with its arguments checked, and the answer is the result', async () => {
  const sum = await invoke({ tool: 'calculator', args: { expression: '6 * 7' } }, { path: '/tools/invoke' });
  expect([sum.status, sum.ok, sum.result?.text]).toEqual([200, true, expect.stringContaining('42')]);
  const ran = await invoke({ tool: 'once_tool', args: { value: 'x' } });
  expect(ran).toMatchObject({ status: 200, ok: true });
  expect(runsOf('once', ran.turnId)).toHaveLength(1);
  const wrong = await invoke({ tool: 'strict_add', args: { by: 'one' } });
  expect([wrong.status, wrong.detail]).toEqual([422, expect.stringContaining('by: must be integer')]);
  expect(await invoke({ tool: 'strict_add', args: { by: 13 } })).toMatchObject({
    status: 200,
    ok: false,
    error: { type: 'tool_error', message: expect.stringContaining('thirteen') as string },
  });
  expect(await invoke({ tool: 'ask_user', args: { question: 'who?' } })).toMatchObject({
    ok: false,
    error: { type: 'needs_a_person' },
  });
  expect((await invoke({ tool: 'calculator', args: [] })).status).toBe(400);
  expect(world.model.calls).toEqual([]);
});

proves(['TO-6', 'TO-7', 'TN-1'], 'what is denied, dangerous or not there is one answer; a foreign session is 403', async () => {
  const missing = await Promise.all(['nothing', 'demo_search', 'run_it'].map((tool) => invoke({ tool })));
  expect(missing.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(new Set(missing.map(({ detail }) => detail?.replace(/"\w+"/, '')))).toHaveLength(1);
  expect(await invoke({ tool: 'run_this' })).toMatchObject({ ok: true, result: { text: 'ran this' } });
  const foreign = 'default.main.webchat.default.direct.ann';
  for (const [token, sessionKey] of [
    [TOKEN.eve, foreign],
    [TOKEN.desk, 'another'],
  ] as const)
    expect((await invoke({ tool: 'current_time', sessionKey }, { token })).status).toBe(403);
  expect(await invoke({ tool: 'current_time' }, { token: TOKEN.desk })).toMatchObject({ ok: true });
  expect((await invoke({ tool: 'current_time' }, { token: 'nobody' })).status).toBe(401);
});

proves(['TO-6', 'IN-4', 'T7'], 'the same key is the same call on every replica; with another body it is refused', async () => {
  const body = { tool: 'once_tool', args: { value: 'k' }, idempotencyKey: 'call-1' };
  const first = await invoke(body);
  const again = await invoke(body, { at: 1 });
  expect(again).toEqual(first);
  expect(runsOf('once', first.turnId)).toHaveLength(1);
  expect((await invoke({ ...body, args: { value: 'other' } }, { at: 1 })).status).toBe(422);
  const { idempotencyKey, ...bare } = body;
  expect(await invoke(bare, { headers: { 'idempotency-key': idempotencyKey } })).toEqual(first);
});

proves(['TO-6', 'G2', 'TO-2'], 'calls of one session are one after the other, and the session keeps what they set', async () => {
  const calls = Array.from({ length: 5 }, (_, n) =>
    invoke({ tool: 'strict_add', args: { by: 1 }, sessionKey: 'sums' }, { at: n % 2 }),
  );
  const sums = (await Promise.all(calls)).map(({ result }) => result?.text);
  expect(new Set(sums)).toEqual(new Set(['1', '2', '3', '4', '5']));
  const said = await world.platform.sessions.transcript(sessionNamed('sums'), 10);
  expect(new Set(said.map(({ outcome }) => outcome))).toEqual(new Set(['command']));
});

proves(
  ['TO-6', 'TU-3', 'MO-5'],
  'hooks of calls are asked, those of models and answers are not; nothing is paid, and nobody says anything',
  async () => {
    const ran = await invoke({ tool: 'once_tool', args: { value: 'meddled' }, sessionKey: 'meddled' });
    expect(ran).toMatchObject({ status: 200, ok: true });
    expect(runsOf('once', ran.turnId)).toHaveLength(1);
    const blocked = await invoke({ tool: 'once_tool', args: { value: 'forbidden' } });
    expect(blocked).toMatchObject({ ok: false, error: { message: expect.stringContaining('not this one') as string } });
    const closed = await invoke({ tool: 'once_tool', args: { value: 'x' }, sessionKey: 'closed' });
    expect(closed).toMatchObject({ ok: false, error: { type: 'refused' } });
    for (const { turnId } of [blocked, closed]) expect(runsOf('once', turnId)).toEqual([]);
    const [record] = await world.platform.sessions.transcript(sessionNamed('meddled'), 1);
    expect(record?.spent).toBeUndefined();
    expect(record?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  },
);

proves(['TO-6', 'TO-1'], 'a batched message of an invoked message tool leaves at the end of the call', async () => {
  const args = { action: 'send', content: 'by and by', immediate: false };
  const sent = await invoke({ tool: 'message', args, sessionKey: 'batched' });
  expect(sent).toMatchObject({ ok: true, result: { text: expect.stringContaining('"deliveryMode":"batched"') as string } });
  const [record] = await world.platform.sessions.transcript(sessionNamed('batched'), 1);
  expect(record?.place?.rows).toBe(1);
});

proves(
  ['TO-6', 'IN-4'],
  'while a call with a key waits, the same one is 409 on the other replica; then it has the answer',
  async () => {
    const body = { tool: 'wait', args: { seconds: 2 }, idempotencyKey: 'in-flight' };
    const both = await Promise.all([invoke(body), invoke(body, { at: 1 })]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(await invoke(body, { at: 1 })).toEqual(both.find(({ status }) => status === 200));
  },
);

describe('a runner dies in the middle of a call', () => {
  for (const [effect, at, runs, ok] of [
    ['once', 'turn.executed', 1, false],
    ['once', 'turn.finished', 1, true],
    ['pure', 'turn.executed', 2, true],
    ['idempotent', 'runner.before-commit', 1, true],
  ] as const)
    proves(
      ['TO-6', 'TU-1', 'G3'],
      `a ${effect} tool at ${at}: it has run ${runs} times, and the caller is told ${ok ? 'the result' : 'that nobody knows'}`,
      async () => {
        const armed = world.fleet.of('runner');
        for (const runner of armed) await world.fleet.arm(runner, { at, act: 'kill' });
        const answer = invoke({
          tool: `${effect}_tool`,
          args: { value: at },
          sessionKey: `kill-${effect}-${at.replace('.', '-')}`,
        });
        await Promise.race(armed.map(({ exited }) => exited));
        for (const runner of world.fleet.of('runner')) await world.fleet.arm(runner, { at: '', act: 'none' });
        await world.fleet.start('runner');
        const { ok: isOk, error, turnId } = await answer;
        expect(isOk).toBe(ok);
        if (!ok) expect(error?.message).toMatch(/outcome/);
        expect(runsOf(effect, turnId)).toHaveLength(runs);
      },
    );
});

proves(['TO-6', 'TO-5', 'G8'], 'a tool that was added a moment ago is called', async () => {
  writePlugin(root, 'late', {
    manifest: { contracts: { tools: ['late_tool'] } },
    code: toolPlugin('late', 'late_tool', 'late but here'),
  });
  const reload = await fetch(`${urls[0]}/api/config/reload`, {
    method: 'POST',
    headers: { authorization: 'Bearer test-admin-token-0000' },
  });
  expect(reload.status).toBe(200);
  const added = await waitUntil(
    'it is there',
    () => invoke({ tool: 'late_tool' }, { at: 1 }),
    ({ status }) => status === 200,
  );
  expect(added.result?.text).toBe('late but here');
});

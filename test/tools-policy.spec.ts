import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { run } from '../apps/cli/program.js';
import { ChatWorld, type Line } from './chat-world.js';
import { lastSaid } from './fakes/last-said.js';
import { waitUntil } from './harness/wait-until.js';
import { pluginFolder, toolPlugin } from './plugin-folder.js';
import { proves } from './proves.js';

const SECRET = 'a-telegram-secret-token';
const ADMIN = 'test-admin-token-0000';
const ACME = 'acme-token-0000000000';
const [OWNER, GUEST] = [7, 8];

const manifest = (tool: string, metadata: object) => ({ contracts: { tools: [tool] }, toolMetadata: { [tool]: metadata } });
const root = pluginFolder({
  vault: {
    manifest: manifest('open_vault', { ownerOnly: true }),
    code: toolPlugin('vault', 'open_vault', 'opened', 'ownerOnly: true,'),
  },
  extra: { manifest: manifest('do_extra', { optional: true }), code: toolPlugin('extra', 'do_extra', 'done', 'optional: true,') },
});

let world: ChatWorld;
let ingress: string;
beforeAll(async () => {
  world = await ChatWorld.start({
    config: {
      access: { dmPolicy: 'open', groupPolicy: 'open', requireMention: false, owners: [`telegram:${OWNER}`] },
      plugins: { load: { paths: [root] } },
      session: { queue: { debounceMs: 0, mode: 'steer' } },
      tools: { deny: ['demo_*'], bySender: { [`telegram:${GUEST}`]: { deny: ['wait'] } } },
      auth: { tokens: [{ name: 'of-acme', token: ACME, tenant: 'acme' }] },
      tenants: { acme: { agents: { main: { model: 'openai/stage', tools: { deny: ['message'] } } } } },
      agents: {
        terse: { tools: { allow: ['message', 'wait'] } },
        main: { tools: { byProvider: { 'openai/weak': { deny: ['calculator'] } } } },
      },
      channels: { telegram: { tools: { alsoAllow: ['do_extra'] } } },
    },
  });
  const [member] = await world.fleet.start('ingress');
  ingress = member?.url ?? '';
}, 90_000);
afterAll(() => world?.close());

let updates = 0;
async function says(from: number, text: string, chat = from): Promise<void> {
  const message = { message_id: ++updates, date: 1764547200, from: { id: from, is_bot: false, first_name: 'Ann' }, text };
  const type = chat < 0 ? 'group' : 'private';
  const update = { update_id: updates, message: { ...message, chat: { id: chat, type, title: 'all' } } };
  const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': SECRET };
  const { status } = await fetch(`${ingress}/webhooks/telegram/one`, { method: 'POST', headers, body: JSON.stringify(update) });
  expect(status).toBe(200);
}
/** What stands beside a message comes ahead of it. */
const about = (text: string) => world.model.calls.filter(({ body }) => lastSaid(body).text.split('\n').at(-1) === text);
const asked = (text: string, times: number) =>
  waitUntil(
    `the model is asked ${times} times about ${text}`,
    () => about(text).length,
    (seen) => seen >= times,
    20_000,
  );
const toolsOf = (text: string): string[] => (about(text)[0]?.body.tools ?? []).map((tool) => tool.function.name);
async function given(from: number, text: string): Promise<string[]> {
  await says(from, text);
  await asked(text, 1);
  return toolsOf(text);
}
const call = (name: string) => ({ toolCalls: [{ name, arguments: {} }] });
const resultsIn = (text: string, step: number): string[] =>
  (about(text).at(step)?.body.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => String(content));

proves(
  ['TO-7', 'IN-8'],
  'an owner, a guest, another channel and another agent each have their own tools; what is kept away is not shown',
  async () => {
    const [owner, guest] = [await given(OWNER, 'owner'), await given(GUEST, 'guest')];
    expect(owner).toEqual(expect.arrayContaining(['message', 'wait', 'calculator', 'open_vault', 'do_extra']));
    expect(owner).not.toContain('demo_search');
    expect(guest).toEqual(owner.filter((name) => name !== 'open_vault' && name !== 'wait'));
    await world.settled(await world.say({ channel: 'generic', account: 'dedupe', conversation: 'c' }, 'elsewhere'));
    expect(toolsOf('elsewhere')).toEqual(owner.filter((name) => name !== 'open_vault' && name !== 'do_extra'));
    const terse = await world.say({ channel: 'generic', account: 'dedupe', conversation: 't' }, 'other agent', [], {
      agent: 'terse',
    });
    await world.settled(terse);
    expect(toolsOf('other agent')).toEqual(['message', 'wait']);
  },
);

proves(['TO-7', 'TU-5'], 'a tool that is kept away cannot be called by its name either', async () => {
  world.script('by name', [call('open_vault')]);
  await says(GUEST, 'by name');
  await asked('by name', 2);
  expect(resultsIn('by name', 1)).toEqual([expect.stringMatching(/no tool|unknown/i)]);
  world.script('may', [call('open_vault')]);
  await says(OWNER, 'may');
  await asked('may', 2);
  expect(resultsIn('may', 1)).toEqual(['opened']);
});

proves(
  ['TO-7', 'QU-2'],
  'a guest who joins the turn of an owner is heard, and from then on the tools he lacks are refused',
  async () => {
    world.script('in the group', [call('open_vault'), { ...call('calculator'), delayMs: 800 }]);
    world.script('me too', [call('open_vault')]);
    await says(OWNER, 'in the group', -5);
    await asked('in the group', 2);
    await says(GUEST, 'me too', -5);
    await waitUntil(
      'the owner and the guest are answered',
      () => world.telegram.posts.filter(({ chatId }) => chatId === '-5').length,
      (seen) => seen > 0,
    );
    const results = world.model.calls
      .flatMap(({ body }) => body.messages.filter(({ role }) => role === 'tool'))
      .map(({ content }) => String(content));
    expect(results).toContainEqual(expect.stringContaining('not for everybody who speaks in this turn'));
  },
);

proves(['TO-7', 'OP-6'], 'a reload counts from the next turn', async () => {
  expect(await given(OWNER, 'before')).toContain('ask_user');
  await world.reconfigure({
    tools: { deny: ['demo_*', 'ask_user'] },
    channels: { telegram: { accounts: { one: { tools: { deny: ['current_time'] } } } } },
  });
  const after = await given(OWNER, 'after');
  expect(after).not.toContain('ask_user');
  expect(after).not.toContain('current_time');
  expect(after).toContain('open_vault');
});

const shownSchema = z.object({ tools: z.array(z.object({ name: z.string(), visible: z.boolean(), at: z.string().optional() })) });

proves(['TO-7', 'OP-5'], '/tools, the API and turnpike tools tell the same, and which option keeps a tool away', async () => {
  const ask = async (query: string) => {
    const response = await fetch(`${ingress}/api/tools?${query}`, { headers: { authorization: `Bearer ${ADMIN}` } });
    return shownSchema.parse(await response.json()).tools;
  };
  const guest = await ask(`channel=telegram&account=one&sender=${GUEST}`);
  const visible = guest.filter((tool) => tool.visible).map(({ name }) => name);
  expect(visible).toEqual(await given(GUEST, 'compare'));
  const at = (name: string) => guest.find((tool) => tool.name === name)?.at;
  expect([at('demo_search'), at('wait')]).toEqual(['tools.deny', `tools.bySender.telegram:${GUEST}.deny`]);
  const ofWeak = await ask(`channel=telegram&account=one&sender=${GUEST}&model=openai/weak`);
  expect(ofWeak.find(({ name }) => name === 'calculator')).toMatchObject({
    visible: false,
    at: 'agents.main.tools.byProvider.openai/weak.deny',
  });
  await says(GUEST, '/tools');
  await waitUntil(
    'the guest is told',
    () => world.telegram.posts.filter(({ chatId }) => chatId === String(GUEST)).at(-1)?.text ?? '',
    (text) => visible.every((name) => text.includes(`${name}:`)) && !text.includes('open_vault'),
  );
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const words = ['tools', 'explain', 'wait', '--channel', 'telegram', '--account', 'one', '--sender', String(GUEST)];
  expect(await run(words, { url: ingress, token: ADMIN, noColor: true }, { stdin, stdout, stderr })).toBe(0);
  expect(String(stdout.read())).toBe(
    `wait is not there: denied by "wait" (tools.bySender.telegram:${GUEST}.deny)\nFrom Turnpike, group basics.\n  denies     denied by "wait" (tools.bySender.telegram:${GUEST}.deny)\n`,
  );
});

proves(['TO-7', 'TN-1'], 'a tenant has its own policy and that of the deployment, and sees no other', async () => {
  const ask = async (query: string, token = ACME) => {
    const response = await fetch(`${ingress}/api/tools${query}`, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, body: await response.json() };
  };
  const { tools } = shownSchema.parse((await ask('')).body);
  const at = (name: string) => tools.find((tool) => tool.name === name)?.at;
  expect([at('message'), at('demo_search')]).toEqual(['tenants.acme.agents.main.tools.deny', 'tools.deny']);
  expect((await ask('?tenant=default')).status).toBe(403);
  expect((await ask('?tenant=acme', ADMIN)).status).toBe(200);
  const [vault] = shownSchema.parse((await ask('?tenant=default&tool=open_vault&sender=admin', ADMIN)).body).tools;
  expect(vault).toMatchObject({ visible: true });
  const [foreign] = shownSchema.parse((await ask('?tool=open_vault&sender=of-acme')).body).tools;
  expect(foreign).toMatchObject({ visible: false });
});

proves(['TO-7'], 'a name that nothing bears is told in the log, once for a catalog', async () => {
  await world.reconfigure({ tools: { deny: ['demo_*', 'mesage'] } });
  await given(OWNER, 'typo');
  expect(world.lines({ msg: 'A tools policy names what is not there' })).toEqual([
    expect.objectContaining({ at: 'tools.deny', pattern: 'mesage' }),
  ]);
});

// The last one: the model of the agent rests afterwards.
proves(
  ['TO-7', 'MO-3'],
  'a fallback of less trust is shown and can call what it may have, and takes nothing from the first model',
  async () => {
    await world.reconfigure({ agents: { main: { fallbacks: ['openai/weak'] } } });
    const answer: Line = ({ model }) => (model === 'stage' ? { status: 503 } : call('calculator'));
    await world.settled(await world.say({ channel: 'generic', account: 'dedupe', conversation: 'f' }, 'stands in', [answer]));
    const shown = (of: string) => about('stands in').find(({ body }) => body.model === of)?.body.tools ?? [];
    const names = (of: string) => shown(of).map(({ function: { name } }) => name);
    expect(names('stage')).toContain('calculator');
    expect(names('weak')).toEqual(names('stage').filter((name) => name !== 'calculator'));
    expect(resultsIn('stands in', -1)).toEqual([expect.stringMatching(/no tool named "calculator"/)]);
  },
);

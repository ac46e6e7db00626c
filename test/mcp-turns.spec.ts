import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { answerEnvelope } from '#sessions';
import { ChatWorld, generic } from './chat-world.js';
import { ACCEPT } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

const program = fileURLToPath(new URL('fakes/mcp-program.fixture.mjs', import.meta.url));
const server = (tools: string[]) => ({ command: process.execPath, args: [program], tools });

let world: ChatWorld;
beforeAll(async () => {
  world = await ChatWorld.start({ runners: 3, config: { mcpServers: { fake: server(['echo', 'ask']) } } });
}, 90_000);
afterAll(() => world?.close());

const toolsOf = (text: string): string => JSON.stringify(world.asked(text)[0]?.body.tools);

describe('MCP tools in turns', () => {
  proves(
    ['TO-4', 'TU-7'],
    'a call reaches the server; a question of the server parks the turn, and its answer goes on with it',
    async () => {
      const said = await world.say(generic('dedupe', 'm1'), 'use it', [
        { toolCalls: [{ name: 'mcp_fake_echo', arguments: { n: 7 } }] },
        { toolCalls: [{ name: 'mcp_fake_ask', arguments: {} }] },
      ]);
      for (const words of ['purple', 'red', '4']) {
        const [park] = await waitUntil(
          'it is parked',
          () => world.platform.parks.list(said.session),
          ({ length }) => length === 1,
        );
        if (!park) throw new Error('waitUntil returned without a park');
        const sender = { id: 'somebody', name: null, isBot: false };
        const envelope = answerEnvelope(park, { decision: 'answered', text: words, sender, at: 1 });
        expect(await world.platform.sessions.accept(envelope, ACCEPT)).toMatchObject({ duplicate: false });
        await waitUntil(
          'it was taken up',
          () => world.platform.parks.list(said.session),
          (left) => left[0]?.code !== park.code,
        );
      }
      await world.settled(said);
      const records = await world.platform.sessions.transcript(said.session, 10);
      const results = records.at(-1)?.messages.flatMap((one) => (one.role === 'tool' ? [one.text] : []));
      expect(results).toEqual([expect.stringMatching(/^\d+ \{"n":7\}$/), 'accept {"colour":"red","count":4}']);
    },
  );

  proves(
    ['TO-4', 'TO-5', 'T12', 'G8'],
    'a tool that is added to the configuration is in the next request of every runner',
    async () => {
      const before = await Promise.all([1, 2, 3, 4].map((n) => world.say(generic('dedupe', `r${n}`), `before ${n}`)));
      await Promise.all(before.map((said) => world.settled(said)));
      const config = JSON.parse(readFileSync(world.fleet.configPath, 'utf8')) as object;
      writeFileSync(world.fleet.configPath, JSON.stringify({ ...config, mcpServers: { fake: server(['echo', 'ask', 'grow']) } }));
      await world.platform.catalog.bump();
      const after = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => world.say(generic('dedupe', `r${n}`), `after ${n}`)));
      await Promise.all(after.map((said) => world.settled(said)));
      for (const n of [1, 2, 3, 4]) {
        expect(toolsOf(`before ${n}`)).not.toContain('mcp_fake_grow');
        expect(toolsOf(`after ${n}`)).toContain('mcp_fake_grow');
      }
      expect(new Set([1, 2, 3, 4].map((n) => toolsOf(`after ${n}`))).size).toBe(1);
    },
  );

  proves(['TO-4', 'B044'], 'a runner that is killed takes its MCP servers with it, and another one goes on', async () => {
    const said = await world.say(generic('dedupe', 'k1'), 'whose', [{ toolCalls: [{ name: 'mcp_fake_echo', arguments: {} }] }]);
    await world.settled(said);
    const [record] = await world.platform.sessions.transcript(said.session, 1);
    const pid = Number(record?.messages.flatMap((one) => (one.role === 'tool' ? [one.text] : []))[0]?.split(' ', 1)[0]);
    expect(isAlive(pid)).toBe(true);
    const parents = world.fleet.of('runner').filter(({ pid: runner }) => childrenOf(runner).includes(pid));
    expect(parents.length).toBe(1);
    parents[0]?.child.kill('SIGKILL');
    await waitUntil(
      'its server has ended',
      () => isAlive(pid),
      (alive) => !alive,
    );
    const next = await world.say(generic('dedupe', 'k1'), 'go on', [{ toolCalls: [{ name: 'mcp_fake_echo', arguments: {} }] }]);
    await world.settled(next);
    const [after] = await world.platform.sessions.transcript(next.session, 1);
    expect(after?.messages.some((one) => one.role === 'tool' && !one.isError)).toBe(true);
  });
});

function statOf(pid: number | string): { state: string; parent: number } | undefined {
  try {
    const [state = '', parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== 'Z';
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((pid) => statOf(pid)?.parent === parent)
    .map(Number);
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { commandNames, parseCommand } from '#routing';
import { startDiscordServer, type DiscordServer } from '../../test/fakes/discord-server.js';
import { readEnvironment } from './environment.js';
import { run } from './program.js';

const folder = mkdtempSync(join(tmpdir(), 'turnpike-discord-'));
const file = join(folder, 'turnpike.json5');
let discord: DiscordServer;

beforeAll(async () => {
  discord = await startDiscordServer({ token: 'a.bot-token' });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await discord.close();
});

async function register(words: string[] = [], accounts: Record<string, object> = { guild: {} }) {
  const own = { applicationId: '100000000000000001', publicKey: 'a'.repeat(64), botToken: 'a.bot-token', apiRoot: discord.url };
  const given = Object.fromEntries(Object.entries(accounts).map(([name, more]) => [name, { ...own, ...more }]));
  writeFileSync(file, JSON.stringify({ channels: { discord: { accounts: given } } }));
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const line = ['discord', 'register', '--config', file, ...words];
  const code = await run(line, readEnvironment({}), { stdin, stdout, stderr });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

/** As Discord checks them: https://docs.discord.com/developers/interactions/application-commands#application-command-object. */
const description = z.string().min(1).max(100);
const commandSchema = z.strictObject({
  name: z.string().regex(/^[-_a-z0-9]{1,32}$/),
  description,
  options: z.tuple([z.strictObject({ type: z.literal(3), name: z.string(), description, required: z.boolean() })]).optional(),
});

test('OUT-5 RT-4 discord register makes /ask and every chat command known, the same again, also of one server', async () => {
  for (const words of [[], [], ['--guild', '300000000000000001']]) {
    const { code, out, err } = await register(words);
    expect([code, out, err]).toEqual([
      0,
      expect.stringMatching(/^Registered for Discord account "guild", .*: \/ask \/help /),
      '',
    ]);
    const names = z
      .array(commandSchema)
      .parse(discord.commands)
      .map(({ name }) => name);
    expect(names).toEqual(['ask', ...commandNames()]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names.slice(1)) expect(parseCommand(`/${name}`)?.name).toBe(name);
  }
  const root = '/applications/100000000000000001';
  const asked = ['commands', 'commands', 'guilds/300000000000000001/commands'].map((path) => `PUT ${root}/${path}`);
  expect(discord.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(asked);
});

test('OP-5 a dry run sends nothing; which account is asked for; what Discord says is said', async () => {
  const before = discord.calls.length;
  const dry = await register(['--dry-run']);
  expect(z.array(commandSchema).parse(JSON.parse(dry.out))).not.toEqual([]);
  expect(await register([], { one: {}, two: {} })).toMatchObject({
    code: 2,
    err: expect.stringContaining('has: one, two') as string,
  });
  expect(await register(['--tenant', 'acme'])).toMatchObject({ code: 2, err: expect.stringContaining('has: none') as string });
  expect(discord.calls.length).toBe(before);
  const refused = await register([], { guild: { botToken: 'another.token' } });
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringContaining('did not take the commands: 401 401: Unauthorized') as string,
  });
  expect(refused.err).not.toContain('another.token');
});

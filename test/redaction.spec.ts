import { PassThrough } from 'node:stream';
import { run } from '../apps/cli/program.js';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import type { Target } from '#contracts';
import { scanKeys } from './harness/scan-keys.js';
import { ChatWorld, generic, type Line } from './chat-world.js';
import { startEchoServer, type EchoServer } from './fakes/echo-server.js';
import { Fleet, type Member } from './harness/fleet.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';
import { BODIES, deploymentAt, leaks, PROVIDERS, SECRETS } from './redaction-world.js';

let echo: EchoServer;
let world: ChatWorld;
let ingress: Member | undefined;
/** Of members that have left, too. */
const members: Member[] = [];

beforeAll(async () => {
  echo = await startEchoServer();
  world = await ChatWorld.start({ runners: 0, dispatchers: 0, config: deploymentAt(echo.url) });
  const env = { OPENAI_API_KEY: SECRETS.openai };
  [ingress] = await world.fleet.start('ingress', 1, env);
  await Promise.all([world.fleet.start('runner', 1, env), world.fleet.start('dispatcher', 1, env)]);
  members.push(...world.fleet.members);
}, 90_000);
afterAll(async () => {
  await world?.close();
  await echo?.close();
});

const at = (channel: string, conversation = '7'): Target => ({ channel, account: 'mark', conversation });
const wrongProofs: Record<string, string>[] = [
  {},
  { 'x-telegram-bot-api-secret-token': 'wrong', 'x-signature-256': 'sha256=00' },
];
const CHANNELS = ['telegram', 'generic', 'slack', 'discord', 'whatsapp', 'feishu'];

type Init = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

async function call(path: string, token: string | undefined, init: Init = {}): Promise<string> {
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...init.headers };
  const response = await fetch(`${ingress?.url}${path}`, { ...init, headers });
  return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
}

/** A key of Redis, whatever type it has. */
async function contentOf(key: string): Promise<string> {
  const { work: redis } = world.platform;
  const read: Record<string, () => Promise<unknown>> = {
    string: () => redis.get(key),
    hash: () => redis.hgetall(key),
    list: () => redis.lrange(key, 0, -1),
    set: () => redis.smembers(key),
    zset: () => redis.zrange(key, '0', '-1'),
    stream: () => redis.xrange(key, '-', '+'),
  };
  const type = await redis.type(key);
  return type === 'none' ? '' : JSON.stringify(await read[type]?.());
}

/** Both streams of a command, run as the operator of this deployment. */
async function cli(...words: string[]): Promise<string> {
  const shell = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  let said = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (data: Buffer) => (said += data.toString()));
  await run(words, { url: ingress?.url, token: SECRETS.admin, noColor: true }, shell);
  return said;
}

/** Redis takes nothing more while `work` is done. */
async function refusingRedis(work: () => Promise<unknown>): Promise<void> {
  await world.redis.cli('CONFIG', 'SET', 'maxmemory', '1mb');
  await work();
  await world.redis.cli('CONFIG', 'SET', 'maxmemory', '0');
}

const logged = (): string => members.map(({ lines }) => JSON.stringify(lines)).join('\n');

describe('secrets and what people say stay where they belong', () => {
  proves(['OP-4', 'OUT-4'], 'whatever goes wrong at whoever quotes everything, no log line has a secret or a text', async () => {
    for (const channel of CHANNELS)
      for (const headers of wrongProofs)
        await call(`/webhooks/${channel}/mark?token=${SECRETS.token}`, SECRETS.token, {
          method: 'POST',
          body: JSON.stringify({ text: BODIES.asked }),
          headers: { 'content-type': 'application/json', ...headers },
        });
    const answer: Line = { text: BODIES.answered };
    const said = await Promise.all(CHANNELS.map((channel) => world.say(at(channel), BODIES.asked, [answer])));
    await Promise.all(said.map((one) => world.ended(one)));
    const tools = ['mcp_rude_ask', 'mcp_dead_ask', 'leak'];
    const step: Line = { toolCalls: tools.map((name) => ({ name, arguments: { value: BODIES.argument } })) };
    await world.ended(await world.say(generic('dedupe', 'tools'), `${BODIES.asked} with tools`, [step, answer]));
    for (const agent of PROVIDERS) {
      const { turn } = await world.say(generic('dedupe', agent), BODIES.asked, [], { agent });
      await waitUntil(
        `${agent} has refused`,
        () => world.lines({ turnId: turn }).map(({ msg }) => msg),
        (messages) => messages.some((msg) => msg === 'Turn failed' || msg === 'Turn goes on later'),
      );
    }
    await waitUntil(
      'every channel has given up',
      () => world.lines({ msg: 'Message given up' }).length,
      (count) => count >= CHANNELS.length,
    );
    await world.ended(await world.say(generic('dedupe', 'command'), `/quote ${BODIES.asked}`));
    const json = { 'content-type': 'application/json' };
    for (const body of [JSON.stringify({ said: BODIES.asked }), `{"said": ${BODIES.asked}`, BODIES.asked])
      for (const path of ['/plugins/hooked/quote', '/api/messages', '/v1/chat/completions', '/mcp', '/api/tools/invoke', '/no'])
        await call(`${path}?key=${SECRETS.token}`, SECRETS.admin, { method: 'POST', body, headers: json });
    const body = JSON.stringify({ message: BODIES.asked });
    await refusingRedis(() => call('/api/messages', SECRETS.admin, { method: 'POST', body, headers: json }));
    for (const msg of [
      'Hook failed',
      'Command of a plugin failed',
      'Route of a plugin failed',
      'Turn failed',
      'Turn goes on later',
    ])
      expect([msg, world.lines({ msg }).length > 0]).toEqual([msg, true]);
    expect(leaks(logged(), SECRETS)).toEqual([]);
    expect(leaks(logged(), BODIES)).toEqual([]);
  });

  proves(
    ['OP-4', 'IN-6'],
    'no route, page or metric shows a secret, whoever asks, and what was given up has no token in it',
    async () => {
      const paths = [
        '/api/channels',
        '/api/config',
        '/api/dead-letters',
        '/api/tools',
        '/api/limits',
        '/api/usage',
        '/api/queues/summary',
      ];
      const board = ['/queues', '/queues/api/queues', '/queues/api/queues?activeQueue=dead-deliveries&status=failed'];
      const sessions = ['/api/sessions/nobody', '/api/sessions/nobody/messages', '/api/sessions/%7B%7D', '/v1/models'];
      const answers: string[] = [];
      for (const token of [undefined, 'wrong-token-000000000', SECRETS.token, SECRETS.admin])
        for (const path of [...paths, ...board, ...sessions]) answers.push(`${path}: ${await call(path, token)}`);
      for (const { lines } of members) {
        const port = lines.find(({ msg }) => msg === 'Health, readiness and metrics')?.['port'];
        answers.push(await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text());
      }
      expect(answers.join('\n')).toContain('dead-deliveries');
      expect(leaks(answers.join('\n'), SECRETS)).toEqual([]);
      const metrics = answers.filter((answer) => answer.startsWith('# HELP'));
      expect(metrics).toHaveLength(3);
      expect(leaks(metrics.join('\n'), BODIES)).toEqual([]);
    },
  );

  proves(['OP-4'], 'Redis holds what people say, and no secret', async () => {
    const held: string[] = [];
    for await (const keys of scanKeys(world.platform.work)) for (const key of keys) held.push(key, await contentOf(key));
    expect(leaks(held.join('\n'), SECRETS)).toEqual([]);
    expect(leaks(held.join('\n'), { asked: BODIES.asked })).toHaveLength(1);
  });

  proves(['OP-4', 'OP-5'], 'the command line prints none', async () => {
    vi.stubEnv('OPENAI_API_KEY', SECRETS.openai);
    const here = ['--config', world.fleet.configPath];
    const said = await Promise.all([
      cli('dead', 'list'),
      cli('dead', 'list', '--json'),
      cli('tools', 'list'),
      cli('plugins', 'list', ...here),
      cli('plugins', 'inspect', 'leaky', '--json', ...here),
      cli('mcp', 'list', ...here),
      cli('mcp', 'test', ...here),
      cli('mcp', 'test', '--json', ...here),
      cli('discord', 'register', ...here),
    ]);
    for (const [index, words] of [
      'telegram/mark',
      'deadLetters',
      'leak',
      'leaky',
      '"id"',
      'rude',
      'dead',
      'dead',
      'did not take',
    ].entries())
      expect([index, said[index]]).toEqual([index, expect.stringContaining(words)]);
    expect(leaks(said.join('\n'), SECRETS)).toEqual([]);
  });

  proves(['OP-4', 'OP-6'], 'a configuration that cannot be used is explained without what stands in it', async () => {
    const broken = {
      auth: { adminToken: SECRETS.admin.slice(0, 12), tokens: [{ name: 'ann', token: [SECRETS.token] }] },
      channels: {
        telegram: { accounts: { one: { botTokn: SECRETS.telegram, botToken: `no ${SECRETS.telegram}`, secretToken: 5 } } },
        slack: { accounts: { one: { botToken: SECRETS.slackProof, signingSecret: { value: SECRETS.slackProof } } } },
        webhook: { accounts: { one: { secret: SECRETS.webhook, outboundUrl: `not an address with ${SECRETS.webhook}` } } },
      },
      models: { providers: { house: { apiKey: { from: SECRETS.key1 }, apiKeys: SECRETS.key2 } } },
      mcpServers: { rude: { headers: [SECRETS.mcpHeader], env: { KEY: { of: SECRETS.mcpEnv } } } },
      plugins: { entries: { leaky: { config: SECRETS.plugin } } },
      redis: { url: `redis://somebody:${SECRETS.google}@:x` },
    };
    const nowhere = { redisUrl: 'redis://127.0.0.1:9', modelUrl: 'http://127.0.0.1:9', toolUrl: '' };
    const fleet = new Fleet({ ...nowhere, config: broken });
    const doomed = fleet.spawn('ingress', { OPENAI_API_KEY: SECRETS.openai });
    expect(await doomed.exited).toMatchObject({ code: 78 });
    await fleet.close();
    const said = JSON.stringify(doomed.lines);
    for (const path of ['adminToken', 'botToken', 'signingSecret', 'apiKeys', 'mcpServers.rude']) expect(said).toContain(path);
    expect(leaks(said, { ...SECRETS, admin: SECRETS.admin.slice(0, 12) })).toEqual([]);
  });

  proves(['OP-4', 'OP-12'], 'a Redis that is away is told without its password, and so is the end of the process', async () => {
    const shutdown = { graceMs: 100, forceMs: 100 };
    const redis = { url: `redis://somebody:${encodeURIComponent(SECRETS.redis)}@127.0.0.1:9` };
    const fleet = new Fleet({
      redisUrl: '',
      modelUrl: 'http://127.0.0.1:9',
      toolUrl: '',
      config: { redis, log: { level: 'trace' }, shutdown },
    });
    const lonely = fleet.spawn('dispatcher');
    await waitUntil(
      'it says that Redis is away',
      () => JSON.stringify(lonely.lines),
      (said) => said.includes('Redis connection failed'),
    );
    lonely.child.kill('SIGTERM');
    await lonely.exited;
    await fleet.close();
    expect(leaks(JSON.stringify(lonely.lines), SECRETS)).toEqual([]);
  });
});

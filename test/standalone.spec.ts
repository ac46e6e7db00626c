import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, type TestContext } from 'vitest';
import { proves } from './proves.js';

const CHECKOUT = join(import.meta.dirname, '..');
const READY = /Chat +(\S+)\/#token=(\S+)/;
const NO_REGISTRY = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b.*/;
/** Variables of this run that a stranger's terminal has not. */
const OURS =
  /^(npm_(?!config_)|npm_config_local_prefix|NODE|VITEST|INIT_CWD|TURNPIKE|OPENAI|TELEGRAM|REDIS_URL|HOST|LOG_LEVEL|TRACE_LEVEL)/;

let copy: string;
let ports: Record<'PORT' | 'OPS_PORT', string>;
const launched = new Set<ChildProcess>();

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'turnpike-copy-'));
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: CHECKOUT, encoding: 'utf8' });
  for (const file of files.split('\0')) {
    if (file && existsSync(join(CHECKOUT, file))) cpSync(join(CHECKOUT, file), join(copy, file), { preserveTimestamps: true });
  }
  ports = { PORT: await freePort(), OPS_PORT: await freePort() };
});

afterAll(() => {
  for (const child of launched) killTree(child);
  // Thousands of small files: nobody has to wait for that.
  spawn('rm', ['-rf', copy], { detached: true, stdio: 'ignore' }).unref();
});

interface Started {
  child: ChildProcess;
  /** Resolves when all output has ended, which is when all processes have. */
  ended: Promise<unknown[]>;
  said: () => string;
  ask: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;
}

/** Types a command into a stranger's terminal and waits for what it prints when it is ready. */
async function start(context: TestContext, ...[command, ...args]: [string, ...string[]]): Promise<Started> {
  const child = spawn(command, args, {
    cwd: copy,
    env: strangersEnvironment(),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  launched.add(child);
  const ended = once(child, 'close');
  let said = '';
  child.stdout.resume();
  const ready = new Promise<RegExpExecArray>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = READY.exec(said);
      if (found && said.includes('Ctrl-C stops it.')) resolve(found);
    });
  });
  const found = await Promise.race([ready, ended.then(() => undefined)]);
  const noRegistry = NO_REGISTRY.exec(said);
  if (!found && noRegistry) context.skip(`no package registry to install from: ${noRegistry[0]}`);
  if (!found) throw new Error(`${command} ended before it was ready:\n${said}`);
  const [, url = '', token = ''] = found;
  const ask: Started['ask'] = async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
    return (await response.json()) as Record<string, unknown>;
  };
  return { child, ended, said: () => said, ask };
}

/** This machine's own Node and npm, not what npm test put in front of them. */
function strangersEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !OURS.test(name));
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter), npm_config_prefer_offline: 'true', ...ports };
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

/** As Ctrl-C in a terminal: to everything in the foreground. */
function interrupt({ pid = 0 }: ChildProcess): void {
  process.kill(-pid, 'SIGINT');
}

/** SIGKILL to the process and everything under it, whatever process group that is in: npm, launcher, Redis and app. */
function killTree({ pid = 0 }: ChildProcess): void {
  const pairs = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/).map(Number));
  const tree = [pid];
  for (const parent of tree) tree.push(...pairs.flatMap(([child = 0, of]) => (of === parent ? [child] : [])));
  for (const each of tree) if (pairs.some(([alive]) => alive === each)) process.kill(each, 'SIGKILL');
}

proves(
  'OP-1',
  'npm start on a copy without node_modules installs, answers, drains on Ctrl-C; what was said outlives that and a kill -9 of all',
  async (context) => {
    const first = await start(context, 'npm', 'start');
    expect(first.said()).toContain('installing dependencies');
    expect(first.said()).toContain(`http://127.0.0.1:${ports.PORT}/queues?token=`);
    expect(await (await fetch(`http://127.0.0.1:${ports.OPS_PORT}/readyz`)).json()).toMatchObject({ ready: true });
    const answer = await first.ask('POST', '/api/sessions/diary/invoke', { message: 'calculate 12*7' });
    expect(answer).toMatchObject({ outcome: 'answered', text: expect.stringContaining('84') });
    const diary = await first.ask('GET', '/api/sessions/diary/messages');
    interrupt(first.child);
    await first.ended;
    expect(first.said()).toMatch(/stopping: .*\n(.*\n)*.*stopped; everything is kept in/);

    const second = await start(context, 'npm', 'start');
    expect(second.said()).not.toContain('installing');
    expect(await second.ask('GET', '/api/sessions/diary/messages')).toEqual(diary);
    await second.ask('POST', '/api/sessions/diary/messages', { message: 'hello' });
    killTree(second.child);
    await second.ended;

    // What npm start runs: npm's own exit code tells of the shell between.
    const third = await start(context, 'node', 'bin/start.mjs');
    await third.ask('POST', '/api/sessions/diary/invoke', { message: 'and again' });
    const { messages } = (await third.ask('GET', '/api/sessions/diary/messages')) as {
      messages: { role: string; text: string }[];
    };
    expect(messages.slice(0, (diary.messages as unknown[]).length)).toEqual(diary.messages);
    expect(messages.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual([
      'calculate 12*7',
      'hello',
      'and again',
    ]);
    interrupt(third.child);
    expect(await third.ended).toEqual([0, null]);
  },
  { timeout: 240_000 },
);

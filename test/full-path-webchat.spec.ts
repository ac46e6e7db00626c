import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { ACCEPT, envelopeOf, openPlatform } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const OUTPUT = 'test-output';
const STANDALONE = join(import.meta.dirname, '../dist/apps/standalone/main.js');
const CHAT_LINK = /Chat +(\S+)/;
const BOARD_LINK = /Queues +(\S+)/;
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let dir: string;
let redis: RedisServer;
let receiver: WebhookReceiver;
let platform: Platform;
let browser: Browser;
let standalone: ChildProcess;
let links: { chat: string; board: string };

beforeAll(async () => {
  mkdirSync(OUTPUT, { recursive: true });
  dir = mkdtempSync(join(tmpdir(), 'turnpike-standalone-'));
  const config = join(dir, 'turnpike.json5');
  [redis, receiver] = await Promise.all([startRedis(), startWebhookReceiver({ dedupe: true })]);
  const crm = { secret: 'a-test-webhook-secret', outboundUrl: receiver.url };
  writeFileSync(config, JSON.stringify({ redis: { url: redis.url }, channels: { webhook: { accounts: { crm } } } }));
  standalone = fork(STANDALONE, ['--config', config], {
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      OPS_PORT: '0',
      TURNPIKE_ADMIN_TOKEN: 'a-test-admin-token-0000',
      SHUTDOWN_GRACE_MS: '3000',
    },
  });
  [links, platform, browser] = await Promise.all([
    linksOf(standalone),
    openPlatform(config),
    chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  standalone?.kill('SIGKILL');
  await Promise.all([platform?.close(), receiver?.close()]);
  await redis?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** What a person reads in the terminal and clicks. */
async function linksOf({ stderr, exitCode }: ChildProcess): Promise<{ chat: string; board: string }> {
  let said = '';
  for await (const text of stderr?.setEncoding('utf8') ?? []) {
    said += String(text);
    const [chat, board] = [CHAT_LINK, BOARD_LINK].map((link) => link.exec(said)?.[1]);
    if (chat && board && said.includes('Ctrl-C')) return { chat, board };
  }
  throw new Error(`standalone ended (${exitCode}): ${said}`);
}

async function visit(link: string, height = 900): Promise<Page & { complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1100, height } });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('response', (response) => response.status() >= 400 && complaints.push(`${response.status()} ${response.url()}`));
  await page.goto(link);
  return Object.assign(page, { complaints });
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

const idle = (page: Page) => page.locator('#stop').waitFor({ state: 'hidden' });
const shown = (page: Page, kind: string) => page.locator(`#log > .${kind}`).allInnerTexts();

proves(
  ['OP-1', 'OUT-3', 'QU-3'],
  'a person opens the printed link, talks, sees tokens and progress live, stops a slow turn, and finds it all after a reload',
  async () => {
    const page = await visit(links.chat);
    await page.locator('#link[data-state=online]').waitFor();
    await say(page, 'what is Turnpike?');
    await page.locator('.streaming').waitFor();
    await page.locator('.answer:not(.streaming)').waitFor();
    await idle(page);

    await say(page, 'report');
    await page.locator('.progress', { hasText: 'Got it, starting the analysis' }).waitFor();
    await page.locator('.progress', { hasText: 'The data is in' }).waitFor();
    expect(await page.locator('.answer', { hasText: 'The report is ready' }).count()).toBe(0);
    await page.locator('.answer:not(.streaming)', { hasText: 'The report is ready' }).waitFor();
    await idle(page);

    await say(page, 'slow 60');
    await page.locator('.answer', { hasText: 'I wait for 60 s' }).waitFor();
    await page.locator('#stop').click();
    await idle(page);
    await say(page, 'calculate 12*7');
    await page.locator('.answer:not(.streaming)', { hasText: '84' }).waitFor();
    await idle(page);

    const before = [await shown(page, 'mine'), await shown(page, 'progress'), await shown(page, 'answer')];
    expect(before[0]).toEqual(['what is Turnpike?', 'report', 'slow 60', 'calculate 12*7']);
    await page.reload();
    await page.locator('.answer', { hasText: '84' }).waitFor();
    expect([await shown(page, 'mine'), await shown(page, 'progress'), await shown(page, 'answer')]).toEqual(before);
    await page.screenshot({ path: `${OUTPUT}/full-path.png` });
    expect(page.complaints).toEqual([]);
    await page.close();
  },
);

proves(
  'OP-3',
  'the printed board link shows activations, deliveries, a dead letter with its reason, and the sessions that are busy',
  async () => {
    receiver.fail({ kind: 'answer', status: 400 });
    await platform.sessions.accept(
      envelopeOf({ channel: 'generic', account: 'crm', conversation: 'refused' }, 1, 'hello'),
      ACCEPT,
    );
    await waitUntil(
      'the delivery is given up',
      () => platform.deadLetters.board[0]?.getWaitingCount(),
      (count) => count === 1,
    );
    for (const [n, text] of ['slow 60', 'hello', 'hello again'].entries())
      await platform.sessions.accept(envelopeOf({ channel: 'generic', account: 'crm', conversation: 'busy' }, n, text), ACCEPT);
    await waitUntil(
      'the session is busy',
      () => platform.turns.activationQueues[0]?.getActiveCount(),
      (count) => count === 1,
    );

    const page = await visit(links.board);
    for (const name of ['turns', 'deliveries', 'dead-deliveries', 'busy · generic'])
      await page.getByText(name, { exact: true }).first().waitFor();
    expect(page.url()).not.toContain('token');
    await page.screenshot({ path: `${OUTPUT}/full-path-board.png` });
    await page.goto(`${page.url()}/queue/dead-deliveries`);
    await page.getByText(/400/).first().waitFor();
    await page.screenshot({ path: `${OUTPUT}/full-path-dead-letter.png` });
    expect(page.complaints).toEqual([]);
    await page.close();
  },
);

proves('OP-1', 'Ctrl-C while a turn runs: the turn is handed back within the grace, exit code 0', async () => {
  const ended = once(standalone, 'exit');
  standalone.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

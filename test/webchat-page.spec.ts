import { mkdirSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { RunningApp } from '#host';
import { StageModel } from './fakes/stage-model.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { ADMIN_TOKEN, ANN_TOKEN, startIngress, startWorkers, type IngressProcess } from './webchat-world.js';

const OUTPUT = 'test-output';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let redis: RedisServer;
let model: StageModel;
let ingress: IngressProcess;
let workers: RunningApp;
let browser: Browser;

beforeAll(async () => {
  [redis, model] = await Promise.all([startRedis(), StageModel.start()]);
  [ingress, workers, browser] = await Promise.all([
    startIngress(redis.url),
    startWorkers(redis.url, model),
    chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS }),
  ]);
  mkdirSync(OUTPUT, { recursive: true });
});

afterAll(async () => {
  await browser.close();
  await Promise.all([ingress.stop(), workers.stop(AbortSignal.timeout(1))]);
  await Promise.all([redis.stop(), model.stop()]);
});

interface Visit {
  session: string;
  token?: string;
  dark?: boolean;
  width?: number;
}

async function open({ session, token = ADMIN_TOKEN, dark = false, width = 1100 }: Visit): Promise<Page> {
  const page = await browser.newPage({ colorScheme: dark ? 'dark' : 'light', viewport: { width, height: 900 } });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  Object.assign(page, { complaints });
  await page.goto(`${ingress.url}/#token=${token}&session=${session}`);
  return page;
}

const complaintsOf = (page: Page): string[] => (page as unknown as { complaints: string[] }).complaints;
const online = (page: Page) => page.locator('#link[data-state=online]').waitFor();

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

/** The texts in the list, in the order in which they are shown. */
const shown = (page: Page, kind: string) => page.locator(`#log > .${kind}`).allInnerTexts();

proves('OUT-3', 'a question, live tokens, tools, progress and the answer; a reload shows it all again', async () => {
  const page = await open({ session: 'tour' });
  await online(page);
  expect(page.url()).toBe(`${ingress.url}/`);
  await send(page, 'Compare the two quarters, please.');
  const first = await model.next();
  first.say('I fetch the ');
  await page.locator('.streaming', { hasText: 'I fetch the' }).waitFor();
  first.say('figures first.');
  first.call('demo_search', { query: 'figures' });
  first.call('message', { content: 'Found **12 reports**, reading them now.' });
  first.end();
  const second = await model.next();
  await page.locator('.progress', { hasText: 'Found 12 reports' }).waitFor();
  await page.locator('.chip.done', { hasText: 'demo search' }).waitFor();
  second.say('## Result\n\nGrowth was **14.3 %**, see [the report](https://example.com/q3).\n\n');
  second.say('1. Revenue rose\n2. Costs *did not*\n\n```python\ngrowth = (1280 - 1120) / 1120\n');
  await page.locator('.streaming pre').waitFor();
  await page.locator('#stop').waitFor();
  second.say('```\n\nSay `more` for the <b>details</b>.');
  second.end();
  await page.locator('.answer:not(.streaming) pre').waitFor();
  await page.locator('#stop').waitFor({ state: 'hidden' });
  const before = [await shown(page, 'mine'), await shown(page, 'answer'), await shown(page, 'tools')];
  expect(before[1]).toHaveLength(3);
  expect(before[1]?.[2]).toContain('<b>details</b>');
  expect(await page.locator('.answer b').count()).toBe(0);
  expect(await page.locator('.answer a').getAttribute('rel')).toBe('noopener noreferrer');
  await page.reload();
  await page.locator('.answer pre').waitFor();
  expect([await shown(page, 'mine'), await shown(page, 'answer'), await shown(page, 'tools')]).toEqual(before);
  await page.screenshot({ path: `${OUTPUT}/webchat.png` });
  expect(complaintsOf(page)).toEqual([]);
  await page.close();
});

proves(['TO-1', 'OUT-2'], 'edits, reactions, replies, media, buttons and deletions show, live and after a reload', async () => {
  const page = await open({ session: 'actions', width: 900 });
  await online(page);
  await send(page, 'Plan the trip, please.');
  const first = await model.next();
  first.call('message', { action: 'react', emoji: '👍' });
  first.call('message', { content: 'Looking for trains: 0 of 3' });
  first.call('message', { content: 'This one is a mistake.' });
  first.end();
  const second = await model.next();
  await page.locator('.progress', { hasText: 'mistake' }).waitFor();
  second.call('message', { action: 'delete' });
  second.end();
  const third = await model.next();
  third.call('message', { action: 'edit', content: 'Looking for trains: **3 of 3**' });
  const media = [{ type: 'image', url: 'https://127.0.0.1:9/map.png', caption: 'The way along the coast' }];
  third.call('message', { action: 'reply', content: 'Here is the map.', media });
  third.call('message', {
    content: 'Which train?',
    buttons: [{ text: '8:04, by the sea' }, { text: '9:30, fast', data: 'take 9:30' }],
  });
  third.end();
  const fourth = await model.next();
  fourth.say('Choose one above.');
  fourth.end();
  await page.locator('.answer:not(.streaming)', { hasText: 'Choose one above.' }).waitFor();
  await page.locator('.answer', { hasText: 'deleted' }).waitFor();
  const before = [await shown(page, 'mine'), await shown(page, 'answer')];
  expect(before).toMatchObject([
    [expect.stringContaining('👍')],
    [
      expect.stringMatching(/3 of 3[^]*edited/),
      expect.stringMatching(/^progress\s+deleted$/),
      expect.stringMatching(/Plan the trip, please\.[^]*Here is the map\.[^]*image[^]*map\.png|127\.0\.0\.1/),
      expect.stringMatching(/Which train\?[^]*8:04, by the sea[^]*9:30, fast/),
      'Choose one above.',
    ],
  ]);
  expect(before.flat().join(' ')).not.toMatch(/mistake|\[message/);
  expect(await page.locator('.media img').count()).toBe(0);
  await page.screenshot({ path: `${OUTPUT}/webchat-actions.png` });
  await page.reload();
  await page.locator('.answer', { hasText: 'Choose one above.' }).waitFor();
  expect([await shown(page, 'mine'), await shown(page, 'answer')]).toEqual(before);
  const map =
    '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="120"><rect width="320" height="120" fill="#9cc"/></svg>';
  await page.route('https://127.0.0.1:9/map.png', (route) => route.fulfill({ contentType: 'image/svg+xml', body: map }));
  await page.getByRole('button', { name: 'Show' }).click();
  await expect.poll(() => page.evaluate("document.querySelector('.media img').naturalWidth")).toBe(320);
  await page.screenshot({ path: `${OUTPUT}/webchat-media.png` });
  await page.getByRole('button', { name: '9:30, fast' }).click();
  await page.locator('.mine', { hasText: 'take 9:30' }).waitFor();
  const next = await model.next();
  next.say('Booked.');
  next.end();
  await page.locator('.answer:not(.streaming)', { hasText: 'Booked.' }).waitFor();
  expect(complaintsOf(page)).toEqual([]);
  await page.close();
});

proves(
  ['IN-3', 'OUT-3'],
  'the server goes away in the middle of an answer and comes back: nothing lost, nothing twice',
  async () => {
    const page = await open({ session: 'cut' });
    await online(page);
    await send(page, 'first');
    const speech = await model.next();
    speech.say('one ');
    await page.locator('.streaming', { hasText: 'one' }).waitFor();
    const { port } = ingress;
    await ingress.stop();
    await page.locator('#link[data-state=offline]').waitFor();
    await send(page, 'second, while you were away');
    await page.locator('.sending').waitFor();
    speech.say('two');
    speech.end();
    ingress = await startIngress(redis.url, port);
    await page.locator('.answer:not(.streaming)', { hasText: 'one two' }).waitFor();
    const next = await model.next();
    next.say('And the second.');
    next.end();
    await page.locator('.answer', { hasText: 'And the second.' }).waitFor();
    await page.locator('#stop').waitFor({ state: 'hidden' });
    expect(await shown(page, 'mine')).toEqual(['first', 'second, while you were away']);
    expect(await shown(page, 'answer')).toEqual(['one two', 'And the second.']);
    await page.close();
  },
);

proves(
  'QU-3',
  'Stop ends the answer and leaves what was written, marked; messages behind it show how many are ahead',
  async () => {
    const page = await open({ session: 'stop' });
    await online(page);
    await send(page, 'a long story');
    const speech = await model.next();
    speech.say('Once upon a time');
    await page.locator('.streaming').waitFor();
    await send(page, 'and another');
    await page.locator('.mine .label', { hasText: '1 ahead' }).waitFor();
    await page.screenshot({ path: `${OUTPUT}/webchat-running.png` });
    await page.locator('#stop').click();
    await page.locator('.partial', { hasText: 'stopped here' }).waitFor();
    const next = await model.next();
    next.say('Another one.');
    next.end();
    await page.locator('.answer', { hasText: 'Another one.' }).waitFor();
    expect(await shown(page, 'mine')).toEqual(['a long story', 'and another']);
    await page.close();
  },
);

proves('OUT-3', 'what is asked elsewhere in the same session appears here, question and answer', async () => {
  const [here, there] = await Promise.all([open({ session: 'two' }), open({ session: 'two' })]);
  await Promise.all([online(here), online(there)]);
  await send(there, 'from the other window');
  const speech = await model.next();
  speech.say('An answer for both.');
  speech.end();
  await here.locator('.mine', { hasText: 'from the other window' }).waitFor();
  for (const page of [here, there]) {
    await page.locator('.answer:not(.streaming)').waitFor();
    expect([await shown(page, 'mine'), await shown(page, 'answer')]).toEqual([
      ['from the other window'],
      ['An answer for both.'],
    ]);
    await page.close();
  }
});

proves(['IN-6', 'TN-1'], 'a wrong token is asked for again; a session of others is refused in words', async () => {
  const page = await open({ session: 'support', token: 'nobody' });
  await page.locator('#login-problem', { hasText: 'not known' }).waitFor();
  await page.screenshot({ path: `${OUTPUT}/webchat-login.png` });
  await page.getByLabel('Access token').fill(ANN_TOKEN);
  await page.keyboard.press('Enter');
  await page.locator('#session-problem', { hasText: 'not the one session' }).waitFor();
  await page.getByLabel('Name').fill('');
  await page.getByRole('button', { name: 'Open' }).click();
  await online(page);
  expect(await page.locator('#session-name').innerText()).toBe('ann');
  await page.close();
});

proves('IN-6', 'the page allows no foreign and no inline script', async () => {
  const response = await fetch(ingress.url);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect(await response.text()).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=/);
  const etag = response.headers.get('etag') ?? '';
  expect((await fetch(ingress.url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  for (const path of ['/webchat/..%2fpage.controller.ts', '/webchat/constructor', '/webchat/nothing.js']) {
    expect((await fetch(ingress.url + path)).status).toBe(404);
  }
});

proves('OUT-3', 'dark, and on the width of a telephone nothing sticks out', async () => {
  for (const [name, dark, width] of [
    ['dark', true, 1100],
    ['narrow', false, 375],
  ] as const) {
    const page = await open({ session: 'tour', dark, width });
    await page.locator('.answer pre').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await page.screenshot({ path: `${OUTPUT}/webchat-${name}.png` });
    await page.close();
  }
});

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet, type Kind } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { seriesOf, sumOf } from './harness/metric-text.js';
import { promtool } from './harness/promtool.js';
import { waitUntil } from './harness/wait-until.js';
import { OpsOf } from './ops-of.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const SECRET = 'generic-test-secret-0001';
const APPS = ['ingress', 'runner', 'dispatcher'] as const;
const FEW = 40;
const MANY = 1_000;
/** Every tenth asks for a tool that nobody has, and every tenth gets an error of its own. */
const WHAT = ['invent', 'fail', ...Array.from({ length: 8 }, () => 'hello')];
/** Of a process, Node's own included: what a Prometheus takes without a thought. */
const MOST_SERIES = 3_000;

let redis: RedisServer;
let judge: Judge;
let receiver: WebhookReceiver;
let fleet: Fleet;
const ops = new Map<Kind, OpsOf>();
let sent = 0;
/** Whose model does not answer the second question of a turn. */
let doomed = '';
let isHanging = false;

beforeAll(async () => {
  redis = await startRedis();
  receiver = await startWebhookReceiver({ dedupe: true });
  judge = await Judge.start({
    override: ({ about, step, process }) => {
      const [, what, n] = /^(invent|fail) (\d+)$/.exec(about) ?? [];
      if (what === 'fail') return { status: 400, errorCode: `error_number_${n}` };
      if (what === 'invent' && step === 0) return { toolCalls: [{ id: `call-${n}`, name: `made_up_${n}`, arguments: {} }] };
      if (!about.includes('slow')) return { text: `answer to ${about}` };
      if (step === 0 || process !== doomed) return undefined;
      isHanging = true;
      return { hang: true };
    },
  });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.modelUrl,
    toolUrl: judge.toolUrl,
    config: {
      access: { dmPolicy: 'open' },
      channels: { webhook: { accounts: { shop: { secret: SECRET, outboundUrl: receiver.url } } } },
    },
  });
  for (const kind of APPS) {
    const [member] = await fleet.start(kind);
    if (member) ops.set(kind, new OpsOf(member));
  }
});
afterAll(async () => {
  await fleet?.close();
  await Promise.all([judge?.close(), receiver?.close()]);
  await redis?.stop();
});

const metricsOf = async (kind: Kind): Promise<string> => (await ops.get(kind)?.metrics()) ?? '';
const allMetrics = async (): Promise<string> => (await Promise.all(APPS.map(metricsOf))).join('');

async function postMessage(text: string, n = sent++): Promise<void> {
  const event = { type: 'message', id: `m${n}`, conversation: { id: `c${n}`, type: 'direct' }, sender: { id: `u${n}` } };
  const body = JSON.stringify({ ...event, text });
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-signature-256': signature };
  const url = `${fleet.of('ingress')[0]?.url}/webhooks/generic/shop`;
  expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(200);
}

/** Messages of people who never wrote before, each in a conversation of its own. */
async function write(messages: number): Promise<void> {
  const numbers = Array.from({ length: messages }, () => sent++);
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let n = numbers.pop(); n !== undefined; n = numbers.pop()) await postMessage(`${WHAT[n % WHAT.length]} ${n}`, n);
    }),
  );
  // A reply may be there a moment before its turn is counted.
  await waitUntil(
    'all are answered, and counted',
    async () => [
      sumOf(await metricsOf('dispatcher'), 'turnpike_outbound_messages_total', { outcome: 'sent' }),
      sumOf(await metricsOf('runner'), 'turnpike_turn_duration_seconds_count'),
    ],
    (counts) => counts.every((count) => count === sent),
    120_000,
  );
}

const namesOf = (text: string): string[] =>
  seriesOf(text)
    .filter(({ name }) => !/^turnpike_(process|nodejs)_/.test(name))
    .map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`)
    .sort();

proves(
  ['OP-4', 'B099'],
  `${MANY} people, sessions, made-up tools and errors more add no series; everything is counted once`,
  async () => {
    await write(FEW);
    const before = namesOf(await allMetrics());
    const scrapes: number[] = [];
    const scraping = setInterval(() => {
      const began = performance.now();
      void allMetrics().then(() => scrapes.push(performance.now() - began));
    }, 200);
    await write(MANY).finally(() => clearInterval(scraping));
    // 10 ms on a machine that does nothing else.
    expect(scrapes.toSorted((a, b) => a - b)[Math.floor(scrapes.length * 0.95)]).toBeLessThan(2_000);
    const text = await allMetrics();
    // A machine that is too busy adds a call that was broken off, a claim that was lost: one of each, however many people write.
    expect(namesOf(text).length).toBeLessThan(before.length + FEW * 2);
    expect(text).not.toMatch(/"[cmu]\d+"|\.c\d+/);
    for (const app of APPS) expect(seriesOf(await metricsOf(app)).length).toBeLessThan(MOST_SERIES);
    expect(text).not.toMatch(/made_up|error_number/);

    const counted = (name: string, labels?: Record<string, string>) => sumOf(text, `turnpike_${name}`, labels);
    expect(counted('inbound_messages_total', { channel: 'generic', outcome: 'accepted' })).toBe(sent);
    expect(counted('webhook_duration_seconds_count', { channel: 'generic', status: '2xx' })).toBe(sent);
    expect(counted('queue_wait_seconds_count', { lane: 'turns' })).toBe(sent);
    expect(counted('queue_wait_seconds_count', { lane: 'deliveries' })).toBe(sent);
    expect(counted('turn_duration_seconds_count', { agent: 'main', outcome: 'answered' })).toBe(sent * 0.9);
    expect(counted('turn_duration_seconds_count', { agent: 'main', outcome: 'failed' })).toBe(sent * 0.1);
    expect(counted('tool_calls_total', { tool: 'other', outcome: 'error' })).toBeGreaterThanOrEqual(sent * 0.1);
    expect(
      counted('model_call_duration_seconds_count', { provider: 'openai', model: 'judge', outcome: 'ok' }),
    ).toBeGreaterThanOrEqual(sent);
    expect(counted('model_tokens_total', { provider: 'openai', model: 'judge', type: 'input' })).toBeGreaterThan(0);
    expect(counted('outbound_delay_seconds_count')).toBe(sent);
    expect(counted('turns_active')).toBe(0);
  },
);

proves(['OP-4'], 'promtool finds nothing to say about what each app prints', async (context) => {
  for (const app of APPS) {
    const { code, said } = promtool(context, ['check', 'metrics'], await metricsOf(app));
    expect({ app, code, said }).toEqual({ app, code: 0, said: '' });
  }
});

proves(
  ['OP-4'],
  'every process tells the same of the fleet, and counts the jobs of the queues that are always there',
  async () => {
    await waitUntil(
      'nothing is under way',
      async () => sumOf(await metricsOf('ingress'), 'bullmq_job_count', { state: 'active' }),
      (active) => active === 0,
    );
    const texts = await Promise.all(APPS.map(metricsOf));
    const ofFleet = texts.map((text) =>
      seriesOf(text).filter(({ name }) => /^(turnpike_(sessions_ready|lane_backlog|admission_.*)|bullmq_job_count)$/.test(name)),
    );
    expect(ofFleet[1]).toEqual(ofFleet[0]);
    expect(ofFleet[2]).toEqual(ofFleet[0]);
    const queues = new Set(ofFleet[0]?.flatMap(({ labels }) => labels['queue'] ?? []));
    expect(queues).toEqual(new Set(['turns', 'deliveries', 'timers', 'dead-deliveries']));
  },
);

proves(
  ['OP-4'],
  'a webhook that proves nothing, and one to a channel that nobody configured, add no name of theirs',
  async () => {
    const url = `${fleet.of('ingress')[0]?.url}/webhooks`;
    for (const path of ['generic/shop', ...Array.from({ length: 30 }, (_, n) => `made-up-${n}/x`)])
      await fetch(`${url}/${path}`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
    const text = await metricsOf('ingress');
    expect(sumOf(text, 'turnpike_webhook_signature_failures_total', { channel: 'generic' })).toBe(1);
    expect(sumOf(text, 'turnpike_webhook_duration_seconds_count', { channel: 'other', status: '4xx' })).toBe(30);
    expect(text).not.toContain('made-up');
  },
);

proves(['OP-4', 'B099', 'G4'], 'a turn that goes on after its runner was killed is counted once, with the cause', async () => {
  const [first] = fleet.of('runner');
  doomed = first?.name ?? '';
  await postMessage('slow: do pure');
  await waitUntil('its tool has run', () => isHanging, Boolean);
  const before = await metricsOf('runner');
  if (first) fleet.kill(first);
  const [second] = await fleet.start('runner');
  if (second) ops.set('runner', new OpsOf(second));
  await waitUntil(
    'it is answered',
    async () => sumOf(await metricsOf('runner'), 'turnpike_turn_duration_seconds_count', { outcome: 'answered' }),
    Boolean,
  );
  const text = await metricsOf('runner');
  expect(sumOf(text, 'turnpike_turn_recoveries_total', { cause: 'crash' })).toBe(1);
  // What the dead one had counted, and what the other one did: nothing is missing, and nothing is in both.
  expect(sumOf(before + text, 'turnpike_turn_duration_seconds_count')).toBe(sent);
  expect(sumOf(before + text, 'turnpike_tool_calls_total', { tool: 'pure_tool' })).toBe(1);
});

proves(
  ['OP-4', 'B099'],
  'while Redis is away every process is scraped as before, and says that the figures of the fleet are old',
  async () => {
    await redis.stop();
    for (const app of APPS) {
      const before = sumOf(await metricsOf(app), 'turnpike_collect_failures_total');
      const text = await metricsOf(app);
      expect(sumOf(text, 'turnpike_collect_failures_total')).toBe(before + 1);
      expect(seriesOf(text, 'turnpike_lane_backlog')).toHaveLength(6);
      expect(seriesOf(text, 'turnpike_process_cpu_seconds_total')).toHaveLength(1);
    }
  },
);

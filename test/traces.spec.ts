import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { LOG_LINES } from '#telemetry';
import { BOT, ChatWorld, sends, shown, WEBHOOK_SECRET, type Line } from './chat-world.js';
import { McpHttpServer } from './fakes/mcp-http-server.js';
import { OtlpReceiver, type ReceivedSpan } from './fakes/otlp-receiver.js';
import type { Member } from './harness/fleet.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

const ECHO = { name: 'echo', inputSchema: { type: 'object', properties: { value: { type: 'string' } } } };
const SAID = 'a-question-nobody-else-reads';
const ARGUMENT = 'an-argument-nobody-else-reads';
const ANSWER = 'an-answer-nobody-else-reads';

let collector: OtlpReceiver;
let server: McpHttpServer;
let world: ChatWorld;
let ingress: Member | undefined;

beforeAll(async () => {
  [collector, server] = await Promise.all([OtlpReceiver.start(), McpHttpServer.start({ tools: [ECHO] })]);
  world = await ChatWorld.start({
    runners: 0,
    dispatchers: 0,
    config: {
      mcpServers: { fake: { url: server.url, tools: [ECHO] } },
      access: { dmPolicy: 'open' },
      session: { queue: { mode: 'collect' } },
    },
  });
  const { env } = collector;
  [[ingress]] = await Promise.all([
    world.fleet.start('ingress', 1, env),
    world.fleet.start('runner', 1, env),
    world.fleet.start('dispatcher', 1, env),
  ]);
}, 90_000);
afterAll(async () => {
  await world?.close();
  await server?.[Symbol.asyncDispose]();
  await collector?.close();
});

let events = 0;

/** Somebody writes to the webhook account `dedupe`. */
async function post(conversation: string, text: string, lines: readonly Line[], headers: object = {}): Promise<void> {
  world.script(text, lines);
  const event = {
    type: 'message',
    id: `e${++events}`,
    conversation: { id: conversation, type: 'direct' },
    sender: { id: 'ann' },
    text,
  };
  const body = JSON.stringify(event);
  const signature = `sha256=${createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')}`;
  const { status } = await fetch(`${ingress?.url}/webhooks/generic/dedupe`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-signature-256': signature, ...headers },
  });
  expect(status).toBe(200);
}

/** All spans of the trace that has a span of this conversation, once `count` deliveries are in it. */
async function traceOf(conversation: string, count: number): Promise<ReceivedSpan[]> {
  const find = (): ReceivedSpan[] => {
    const [turn] = collector.spans.filter(
      ({ name, attributes }) => name === 'process turns' && String(attributes['gen_ai.conversation.id']).includes(conversation),
    );
    return collector.spans.filter(({ traceId }) => traceId === turn?.traceId);
  };
  return waitUntil(
    `the trace of ${conversation}`,
    find,
    (spans) => spans.filter(({ name }) => name === 'process deliveries').length >= count,
  );
}

/** Each span with its ancestors, oldest first. */
function pathsOf(spans: readonly ReceivedSpan[]): string[] {
  const path = ({ service, name, parentSpanId }: ReceivedSpan): string => {
    const parent = spans.find(({ spanId }) => spanId === parentSpanId);
    return `${parent ? `${path(parent)} > ` : ''}${service.replace('turnpike-', '')} ${name}`;
  };
  return spans.map(path).toSorted();
}

/** Pseudo-traces of somebody else. */
const THEIRS = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const traceparent = `00-${THEIRS}-bbbbbbbbbbbbbbbb-01`;

function only(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const [span, ...others] = spans.filter((one) => one.name === name);
  if (!span || others.length > 0) throw new Error(`${others.length + (span ? 1 : 0)} spans are called ${name}`);
  return span;
}

describe('traces over three processes', () => {
  let spans: ReceivedSpan[];

  proves('OP-4', 'one trace goes from the webhook through mailbox, turn, model, tools and outbox to each send', async () => {
    const step = { toolCalls: [{ name: 'mcp_fake_echo', arguments: { value: ARGUMENT } }] };
    await post('whole', SAID, [step, sends('on my way'), { text: ANSWER }], { traceparent });
    spans = await traceOf('whole', 2);
    const webhook = 'ingress POST /webhooks/:channel/:account';
    const turn = `${webhook} > ingress send turns > runner process turns`;
    const agent = `${turn} > runner invoke_agent main`;
    const immediate = `${agent} > runner execute_tool message > runner send deliveries`;
    const final = `${turn} > runner send deliveries`;
    const sent = (from: string) => [
      from,
      `${from} > dispatcher process deliveries`,
      `${from} > dispatcher process deliveries > dispatcher send generic`,
    ];
    expect(pathsOf(spans)).toEqual(
      [
        webhook,
        `${webhook} > ingress send turns`,
        turn,
        agent,
        ...Array.from({ length: 3 }, () => `${agent} > runner chat stage`),
        `${agent} > runner execute_tool mcp_fake_echo`,
        `${agent} > runner execute_tool message`,
        ...sent(immediate),
        ...sent(final),
      ].toSorted(),
    );
  });

  proves('OP-4', 'a platform has no say in our traces; a caller of the API finds its request in its own', async () => {
    expect(spans[0]?.traceId).not.toBe(THEIRS);
    const { status } = await fetch(`${ingress?.url}/api/messages`, {
      method: 'POST',
      headers: { authorization: 'Bearer test-admin-token-0000', 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ message: 'from a program' }),
    });
    expect(status).toBe(202);
    const theirs = await waitUntil(
      'the turn is in the trace of the caller',
      () => collector.spans.filter(({ traceId }) => traceId === THEIRS),
      (found) => found.some(({ name }) => name === 'process turns'),
    );
    expect(only(theirs, 'POST /api/messages')).toMatchObject({ kind: 'server', parentSpanId: 'bbbbbbbbbbbbbbbb' });
  });

  proves('OP-4', 'an event stream is a span that ends when its reader leaves', async () => {
    const leave = new AbortController();
    const headers = { authorization: 'Bearer test-admin-token-0000' };
    const { status } = await fetch(`${ingress?.url}/api/events`, { headers, signal: leave.signal });
    expect([status, collector.of('GET /api/events')]).toEqual([200, []]);
    leave.abort();
    const [span] = await waitUntil(
      'its span has ended',
      () => collector.of('GET /api/events'),
      ({ length }) => length > 0,
    );
    expect(span).toMatchObject({ attributes: { 'http.response.status_code': 200 }, status: { code: 0 } });
  });

  proves('OP-4', 'spans have the names, kinds and attributes of the conventions', () => {
    const [chat] = spans.filter(({ name }) => name === 'chat stage');
    expect(chat).toMatchObject({
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'stage',
        'gen_ai.usage.input_tokens': expect.any(Number),
        'gen_ai.usage.output_tokens': expect.any(Number),
        'gen_ai.response.finish_reasons': ['tool_calls'],
        'gen_ai.response.time_to_first_chunk': expect.any(Number),
      },
    });
    expect(only(spans, 'execute_tool mcp_fake_echo')).toMatchObject({
      kind: 'internal',
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'mcp_fake_echo' },
    });
    expect(only(spans, 'invoke_agent main').attributes).toMatchObject({ 'gen_ai.agent.name': 'main' });
    expect(only(spans, 'send turns')).toMatchObject({
      kind: 'producer',
      attributes: { 'messaging.operation.type': 'send', 'messaging.destination.name': 'turns', 'turnpike.channel': 'generic' },
    });
    expect(only(spans, 'process turns')).toMatchObject({
      kind: 'consumer',
      attributes: { 'messaging.operation.type': 'process', 'turnpike.turn.outcome': 'answered', 'turnpike.turn.attempt': 1 },
      resource: { 'service.namespace': 'turnpike', 'service.name': 'turnpike-runner', 'service.version': expect.any(String) },
    });
    expect(only(spans, 'POST /webhooks/:channel/:account')).toMatchObject({
      kind: 'server',
      attributes: { 'http.request.method': 'POST', 'http.response.status_code': 200 },
    });
    for (const { attributes } of spans.filter(({ name }) => name === 'process deliveries'))
      expect(attributes).toMatchObject({ 'turnpike.delivery.outcome': 'sent' });
    expect(spans.filter(({ status }) => status.code !== 0)).toEqual([]);
  });

  proves(['OP-4', 'TO-4'], 'an MCP server is told in `_meta` which call of the trace it serves', () => {
    const { traceId, spanId } = only(spans, 'execute_tool mcp_fake_echo');
    expect(server.metas).toEqual([expect.objectContaining({ traceparent: `00-${traceId}-${spanId}-01` })]);
  });

  proves('OP-4', 'log lines name the trace they belong to', async () => {
    const { traceId } = only(spans, 'process turns');
    const messages = [
      LOG_LINES.turnStarted,
      LOG_LINES.toolCall,
      LOG_LINES.messageQueued,
      LOG_LINES.messageDelivered,
      LOG_LINES.turnEnded,
    ];
    for (const msg of messages) {
      const lines = await waitUntil(
        `${msg} is logged`,
        () => world.lines({ msg, trace_id: traceId }),
        (found) => found.length > 0,
      );
      expect(spans.map(({ spanId }) => spanId)).toContain(lines[0]?.['span_id']);
    }
  });

  proves('OP-4', 'neither texts nor arguments nor secrets are in a span, unless content is asked for', async () => {
    const everything = collector.bodies.join('\n');
    for (const hidden of [SAID, ARGUMENT, ANSWER, 'on my way', WEBHOOK_SECRET, BOT.one, 'test-admin-token-0000'])
      expect(everything).not.toContain(hidden);

    for (const runner of world.fleet.of('runner')) world.fleet.kill(runner);
    const [open] = await world.fleet.start('runner', 1, {
      ...collector.env,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    });
    const step = { toolCalls: [{ name: 'mcp_fake_echo', arguments: { value: ARGUMENT } }] };
    await post('open', SAID, [step, { text: ANSWER }]);
    const shownNow = await traceOf('open', 1);
    const [first, second] = shownNow.filter(({ name }) => name === 'chat stage');
    expect(first?.attributes['gen_ai.input.messages']).toContain(SAID);
    expect(first?.attributes['gen_ai.output.messages']).toContain(ARGUMENT);
    expect(second?.attributes['gen_ai.output.messages']).toContain(ANSWER);
    const { attributes } = only(shownNow, 'execute_tool mcp_fake_echo');
    expect(attributes['gen_ai.tool.call.arguments']).toBe(JSON.stringify({ value: ARGUMENT }));
    expect(attributes['gen_ai.tool.call.result']).toContain(ARGUMENT);
    expect(collector.bodies.join('\n')).not.toContain(WEBHOOK_SECRET);
    if (open) world.fleet.kill(open);
  });

  proves(
    ['OP-4', 'TU-1'],
    'a turn that a killed runner left goes on in its trace; messages that share it are linked',
    async () => {
      const [doomed] = await world.fleet.start('runner', 1, collector.env);
      if (!doomed) throw new Error('no runner');
      // Neither span of it is sent: its process is gone.
      await world.fleet.arm(doomed, { at: 'runner.before-commit', act: 'kill' });
      await post('killed', 'to the death', []);
      await doomed.exited;
      await post('both', 'the first', []);
      await post('both', 'and the second', []);
      await world.fleet.start('runner', 1, collector.env);
      const [killed, both] = await Promise.all([traceOf('killed', 1), traceOf('both', 1)]);
      expect(only(killed, 'process turns').attributes).toMatchObject({ 'turnpike.turn.attempt': 2 });
      expect(only(killed, 'POST /webhooks/:channel/:account').service).toBe('turnpike-ingress');
      const { attributes, links } = only(both, 'process turns');
      expect(attributes).toMatchObject({ 'messaging.batch.message_count': 2 });
      const [, second] = collector
        .of('send turns')
        .filter(({ attributes: of }) => of['gen_ai.conversation.id'] === attributes['gen_ai.conversation.id']);
      expect(links.map(({ spanId }) => spanId)).toEqual([second?.spanId]);
    },
  );

  proves('OP-4', 'what fails is marked by a code, without what the other side said', async () => {
    const secretive = { status: 400, errorMessage: 'the-prompt-was-quoted-here' };
    await post('failing', 'this fails', [secretive]);
    const found = await traceOf('failing', 1);
    expect(only(found, 'chat stage')).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': expect.any(String) } });
    expect(only(found, 'process turns')).toMatchObject({
      status: { code: 2 },
      attributes: { 'turnpike.turn.outcome': 'failed' },
    });
    expect(collector.bodies.join('\n')).not.toContain('the-prompt-was-quoted-here');
  });

  proves('OP-4', 'while the collector is away people are answered, and a stop is not held up by it', async () => {
    await collector.close();
    await post('away', 'anybody there', []);
    await waitUntil(
      'the answer comes',
      () => shown(world.dedupe, 'away'),
      (texts) => texts.length === 1,
    );
    const [runner] = world.fleet.of('runner');
    runner?.child.kill('SIGTERM');
    expect(await runner?.exited).toMatchObject({ code: 0 });
  });
});

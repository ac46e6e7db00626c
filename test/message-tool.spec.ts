import { afterAll, beforeAll, describe, expect } from 'vitest';
import { z } from 'zod';
import { ChatWorld, generic, posted, reports, send, sends, shown, telegramChat, waits } from './chat-world.js';
import type { ModelServerCall } from './fakes/model-server.js';
import { telegramFault } from './fakes/telegram-server.js';
import { proves } from './proves.js';

let world: ChatWorld;

beforeAll(async () => {
  world = await ChatWorld.start({ config: { lanes: { lockMs: 3000, deliveries: { requestTimeoutMs: 1400 } } } });
}, 90_000);
afterAll(() => world?.close());

/** What the model was told that a call without `immediate` does. */
function messageDefault({ body }: ModelServerCall): unknown {
  const tool = body.tools?.find(({ function: { name } }) => name === 'message');
  return toolSchema.parse(tool).function.parameters.properties.immediate.default;
}

const toolSchema = z.object({
  function: z.object({ parameters: z.object({ properties: z.object({ immediate: z.object({ default: z.boolean() }) }) }) }),
});

describe('a send is made and the turn goes on', () => {
  proves('B001', 'each send arrives when it is made, the answer at the end, nothing twice', async () => {
    const lines = [sends('got it'), waits(1.2), sends('the data is in'), waits(1.2), { text: 'the report is done' }];
    const said = await world.say(generic('dedupe', 'b001'), 'report, please', lines);
    const record = await world.settled(said);
    const arrivals = world.dedupe.attempts.filter(({ message }) => message.conversation === 'b001');
    expect(arrivals.map(({ message }) => message.text)).toEqual(['got it', 'the data is in', 'the report is done']);
    const [first = 0, second = 0, final = 0] = arrivals.map(({ at }) => performance.timeOrigin + at);
    expect(first).toBeLessThan(world.asked('report, please')[1]?.at ?? 0);
    expect(second - first).toBeGreaterThanOrEqual(1100);
    expect(final - second).toBeGreaterThanOrEqual(1100);
    expect(arrivals.map(({ message }) => [message.deliveryMode, message.sequenceInTurn, message.turnId])).toEqual([
      ['immediate', 1, said.turn],
      ['immediate', 2, said.turn],
      ['final', 3, said.turn],
    ]);
    const delivered = reports(record).map(({ deliveredAt }) => Number(deliveredAt));
    expect(new Set(delivered).size).toBe(2);
    expect(Math.max(...delivered)).toBeLessThan(record.at);
    expect(await world.endLine(said)).toMatchObject({ immediateCount: 2, batchedCount: 0 });
  });

  proves(
    ['B002', 'T15'],
    'a send ends nothing, the tool between runs once, and its raw result reaches the model only',
    async () => {
      const battery = { toolCalls: [{ name: 'once_tool', arguments: { value: 'battery' } }] };
      const said = await world.say(telegramChat('2002'), 'battery?', [
        sends('checking'),
        battery,
        sends('81 percent'),
        { text: 'finished' },
      ]);
      const record = await world.settled(said);
      expect(posted(world.telegram, '2002')).toEqual(['checking', '81 percent', 'finished']);
      expect(world.asked('battery?')).toHaveLength(4);
      const executions = world.judge.executions.filter(({ turn }) => turn === said.turn);
      expect(executions).toHaveLength(1);
      const results = record.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
      expect(results).toContain(executions[0]?.nonce);
      const ids = world.telegram.posts.filter(({ chatId }) => chatId === '2002').map(({ messageId }) => String(messageId));
      expect(reports(record)).toMatchObject([
        { ok: true, state: 'sent', deliveryMode: 'immediate', sequenceInTurn: 1, platformMessageId: ids[0] },
        { ok: true, state: 'sent', deliveryMode: 'immediate', sequenceInTurn: 2, platformMessageId: ids[1] },
      ]);
      expect(record.outcome).toBe('answered');
    },
  );
});

describe('a send that does not get through', () => {
  proves(['T1', 'T16'], 'a refused send joins the batch and appears once, at the end of the turn', async () => {
    world.telegram.fail(telegramFault.blocked());
    const said = await world.say(telegramChat('3001'), 'refuse one', [sends('important'), waits(0.1)]);
    const record = await world.settled(said);
    expect(reports(record)).toMatchObject([{ ok: true, state: 'queued', deliveryMode: 'batched', fellBackToBatch: true }]);
    expect(posted(world.telegram, '3001')).toEqual(['important', 'done refuse one']);
    expect(await world.endLine(said)).toMatchObject({ immediateCount: 0, batchedCount: 1 });
  });

  proves('T2', 'a send nobody confirmed is never sent a second time', async () => {
    world.telegram.fail({ kind: 'stall' });
    const said = await world.say(telegramChat('3002'), 'stall one', [sends('perhaps here')]);
    const record = await world.settled(said);
    expect(reports(record)).toMatchObject([{ ok: true, state: 'unknown', deliveryMode: 'immediate' }]);
    expect(posted(world.telegram, '3002')).toEqual(['perhaps here', 'done stall one']);
  });

  proves(
    ['T2', 'OUT-1'],
    'taken without an answer, then refused on the repeat: unknown, so no copy joins the batch',
    async () => {
      world.dedupe.fail({ kind: 'reset' }, { kind: 'answer', status: 400 });
      const said = await world.say(generic('dedupe', '3003'), 'reset one', [sends('here already')]);
      const record = await world.settled(said);
      expect(reports(record)).toMatchObject([{ state: 'unknown', deliveryMode: 'immediate' }]);
      expect(shown(world.dedupe, '3003')).toEqual(['here already', 'done reset one']);
    },
  );

  proves('T2', 'refused after its first chunk: part of it was read, so no copy joins the batch', async () => {
    world.plain.fail({ kind: 'slow', ms: 0 }, { kind: 'answer', status: 400 });
    const text = 'word '.repeat(30).trim();
    const record = await world.settled(await world.say(generic('plain', '3004'), 'half of it', [sends(text)]));
    expect(reports(record)).toMatchObject([{ ok: false, state: 'failed' }]);
    expect(shown(world.plain, '3004')).toEqual([text.slice(0, 99), 'done half of it']);
  });
});

describe('batched sends', () => {
  proves(['TO-1', 'T16'], 'leave after all immediate ones, in the order in which they were made, and are counted', async () => {
    const lines = [{ toolCalls: [send('audit 1', false), send('now 1'), send('audit 2', false)] }, sends('now 2')];
    const said = await world.say(generic('dedupe', 'batch'), 'both modes', lines);
    const record = await world.settled(said);
    expect(shown(world.dedupe, 'batch')).toEqual(['now 1', 'now 2', 'audit 1', 'audit 2', 'done both modes']);
    expect(reports(record).map(({ deliveryMode, sequenceInTurn }) => [deliveryMode, sequenceInTurn])).toEqual([
      ['batched', 1],
      ['immediate', 2],
      ['batched', 3],
      ['immediate', 4],
    ]);
    expect(await world.endLine(said)).toMatchObject({ immediateCount: 2, batchedCount: 2 });
  });

  proves('T5', 'survive a kill of the runner and leave once', async () => {
    const text = 'killed while it waits';
    const said = await world.say(generic('plain', 't5kill'), text, [{ toolCalls: [send('kept', false)] }, waits(1)]);
    await world.askedTimes(text, 2);
    for (const runner of world.fleet.of('runner')) world.fleet.kill(runner);
    await world.fleet.start('runner');
    const record = await world.settled(said);
    expect(shown(world.plain, 't5kill')).toEqual(['kept', `done ${text}`]);
    expect(reports(record)).toHaveLength(1);
    expect(await world.endLine(said)).toMatchObject({ batchedCount: 1 });
  });

  proves(['T5', 'QU-3'], 'are dropped with a cancelled turn, and the transcript tells the model so', async () => {
    const said = await world.say(generic('plain', 't5cancel'), 'never mind', [
      { toolCalls: [send('dropped', false)] },
      waits(60),
    ]);
    await world.askedTimes('never mind', 2);
    await world.platform.sessions.cancel(said.session, { what: 'current' });
    world.control.cancel({ session: said.session, turn: said.turn });
    const record = await world.settled(said);
    expect(record).toMatchObject({ outcome: 'cancelled', reason: 'cancelled' });
    expect(reports(record)).toMatchObject([{ ok: false, state: 'dropped' }]);
    expect(shown(world.plain, 't5cancel')).toEqual(['Stopped.']);
    const next = await world.say(generic('plain', 't5cancel'), 'and now?');
    await world.settled(next);
    expect(JSON.stringify(world.asked('and now?')[0]?.body.messages)).toContain('dropped');
    expect(shown(world.plain, 't5cancel')).toEqual(['Stopped.', 'done and now?']);
  });

  proves('T5', 'are dropped with a turn that fails, and the user hears only that it failed', async () => {
    const said = await world.say(generic('dedupe', 't5fail'), 'fails', [
      { toolCalls: [send('dropped', false)] },
      { status: 401 },
    ]);
    const record = await world.settled(said);
    expect(record).toMatchObject({ outcome: 'failed', reason: 'auth' });
    expect(reports(record)).toMatchObject([{ ok: false, state: 'dropped' }]);
    expect(shown(world.dedupe, 't5fail')).toEqual([expect.stringContaining('I cannot answer')]);
    expect(await world.endLine(said)).toMatchObject({ outcome: 'failed', reason: 'auth', batchedCount: 0 });
  });
});

describe('channels that cannot send before the turn ends', () => {
  proves(['TO-1', 'OUT-2', 'T1'], 'everything leaves at its end, in order, and the model is told', async () => {
    const said = await world.say(generic('late', 'late'), 'late one', [
      { ...sends('first'), text: 'beside it' },
      sends('second'),
    ]);
    const record = await world.settled(said);
    expect(shown(world.dedupe, 'late')).toEqual(['beside it', 'first', 'second', 'done late one']);
    expect(reports(record)).toMatchObject(Array(2).fill({ ok: true, deliveryMode: 'batched', fellBackToBatch: true }));
    const sent = world.dedupe.attempts
      .filter(({ message }) => message.conversation === 'late')
      .map(({ at }) => performance.timeOrigin + at);
    expect(Math.min(...sent)).toBeGreaterThan(world.asked('late one')[2]?.at ?? Infinity);
  });

  proves('OUT-2', 'one that merges gets one message, within its limit', async () => {
    const record = await world.settled(await world.say(generic('merge', 'merge'), 'merge', [sends('first'), sends('second')]));
    expect(record.outcome).toBe('answered');
    expect(shown(world.dedupe, 'merge')).toEqual(['first\n\nsecond\n\ndone merge']);
    const long = 'x'.repeat(94);
    await world.settled(await world.say(generic('merge', 'merge'), 'too long', [sends(long), sends('short')]));
    expect(shown(world.dedupe, 'merge').slice(1)).toEqual([long, 'short\n\ndone too long']);
    const rows = world.dedupe.messages
      .filter(({ conversation }) => conversation === 'merge')
      .map(({ sequenceInTurn }) => sequenceInTurn);
    expect(rows).toEqual([3, 1, 3]);
  });
});

describe('configuration, read again while the fleet runs', () => {
  proves(['TO-1', 'T16', 'OP-6'], 'defaultDeliveryMode counts from the next turn; an explicit argument wins', async () => {
    const chat = generic('dedupe', 'default');
    const running = await world.say(chat, 'before', [waits(1.5), sends('still at once')]);
    await world.askedTimes('before', 1);
    await world.reconfigure({ tools: { message: { defaultDeliveryMode: 'batched' } } });
    await world.settled(running);
    await world.settled(await world.say(chat, 'after', [sends('waits'), { toolCalls: [send('does not', true)] }]));
    await world.reconfigure({ tools: { message: { defaultDeliveryMode: 'immediate' } } });
    expect(shown(world.dedupe, 'default')).toEqual(['still at once', 'done before', 'does not', 'waits', 'done after']);
    expect(world.asked('before').map(messageDefault)).toEqual([true, true, true]);
    expect(world.asked('after').map(messageDefault)).toEqual([false, false, false]);
  });

  proves(['TO-1', 'T16'], 'fallbackToBatchOnError: false tells the model and queues nothing', async () => {
    await world.reconfigure({ tools: { message: { fallbackToBatchOnError: false } } });
    world.telegram.fail(telegramFault.chatNotFound());
    const refused = await world.say(telegramChat('4001'), 'no fall-back', [sends('lost')]);
    const late = await world.say(generic('late', 'no-fall-back'), 'no fall-back here', [sends('lost too')]);
    const records = [await world.settled(refused), await world.settled(late)];
    await world.reconfigure({ tools: { message: { fallbackToBatchOnError: true } } });
    expect(posted(world.telegram, '4001')).toEqual(['done no fall-back']);
    expect(shown(world.dedupe, 'no-fall-back')).toEqual(['done no fall-back here']);
    for (const record of records) {
      const [report] = reports(record);
      expect(report).toMatchObject({ ok: false, state: 'failed' });
      expect(report).not.toHaveProperty('queuedAt');
    }
    expect(await world.endLine(refused)).toMatchObject({ batchedCount: 0 });
  });

  proves(['TO-1', 'T16'], 'receiptWaitMs is how long a send waits for its proof', async () => {
    const slow = { kind: 'slow', ms: 400 } as const;
    world.telegram.fail(slow);
    const patient = await world.settled(await world.say(telegramChat('4002'), 'patient', [sends('slow')]));
    await world.reconfigure({ tools: { message: { receiptWaitMs: 50 } } });
    world.telegram.fail(slow);
    const hasty = await world.settled(await world.say(telegramChat('4003'), 'hasty', [sends('slow')]));
    await world.reconfigure({ tools: { message: { receiptWaitMs: 10_000 } } });
    expect(reports(patient)).toMatchObject([{ ok: true, state: 'sent' }]);
    expect(reports(hasty)).toMatchObject([{ ok: true, state: 'queued', deliveryMode: 'immediate' }]);
    for (const chat of ['4002', '4003']) expect(posted(world.telegram, chat)).toHaveLength(2);
  });
});

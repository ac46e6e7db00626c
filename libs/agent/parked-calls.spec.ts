import { describe, expect, test } from 'vitest';
import type { JournalEntry, Park, ParkDecision } from '#contracts';
import { Hooks, type TurnResult } from './index.js';
import { TurnWorld, type Reply } from './turn-world.fixture.js';

const callOf = (name: string) => ({ name, id: name });

/** Tools run as the answer calls them, then comes `done`. */
function world(calls: string[]): TurnWorld {
  const reply = (step: number): Reply => (step === 1 ? { calls: calls.map(callOf) } : { text: 'done' });
  return new TurnWorld(reply)
    .addTool('first', 'once')
    .addTool('second', 'once')
    .addTool('read', 'pure')
    .addTool('guarded', 'once', async (args) => ({ text: `ran with ${JSON.stringify(args)}`, isError: false }))
    .addTool('ask', 'pure', async () => ({ text: 'Red?', isError: false, asks: { choices: ['yes', 'no'] } }), { volatile: true });
}

function guarding(...names: string[]): { hooks: Hooks; asked: string[] } {
  const hooks = new Hooks();
  const asked: string[] = [];
  hooks.on('before_tool_call', ({ tool }) => {
    asked.push(tool);
    return names.includes(tool) ? { approval: { title: `May ${tool} run?` }, arguments: { safe: true } } : undefined;
  });
  return { hooks, asked };
}

function park({ park: found }: TurnResult): Park {
  if (!found) throw new Error('The turn was not parked');
  return found;
}

/** What the runner does between two stretches of a turn. */
function resolve(turn: TurnWorld, parked: Park, decision: ParkDecision, text = ''): void {
  const { call, kind } = parked;
  const envelopes: Extract<JournalEntry, { k: 'parked' }>['envelopes'] = [] as never;
  turn.journal.push({ k: 'parked', at: 1, timeoutMs: 1, code: 'ABC234', turn: 't~1', ...parked, envelopes, inputs: [] });
  turn.journal.push({ k: 'resolved', call, kind, decision, text });
}

function results({ messages }: TurnResult): string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [`${message.name}: ${message.text}`] : []));
}

describe('a call that waits for a person', () => {
  test('TU-7 calls before it finish, it does not start, and those behind it do not', async () => {
    const turn = world(['first', 'guarded', 'second']);
    const { hooks } = guarding('guarded');
    const result = await turn.run({}, { hooks });
    expect(park(result)).toEqual({
      call: 'guarded',
      tool: 'guarded',
      kind: 'approval',
      title: 'May guarded run?',
      choices: [],
      arguments: '{"safe":true}',
    });
    expect(turn.ran).toEqual(['first']);
    expect(turn.progress.waiting('waiting (ABC234)').slice(1)).toEqual([
      { role: 'tool', callId: 'first', name: 'first', text: 'first done', isError: false },
      { role: 'tool', callId: 'guarded', name: 'guarded', text: 'waiting (ABC234)', isError: false },
      { role: 'tool', callId: 'second', name: 'second', text: 'waiting (ABC234)', isError: false },
    ]);
  });

  test('TU-7 approved, it runs with the arguments that were approved, unasked, and the turn goes on behind it', async () => {
    const turn = world(['first', 'guarded', 'second']);
    const { hooks, asked } = guarding('guarded');
    resolve(turn, park(await turn.run({}, { hooks })), 'approved');
    const result = await turn.run({}, { hooks });
    expect(result.text).toBe('done');
    expect(results(result)).toEqual(['first: first done', 'guarded: ran with {"safe":true}', 'second: second done']);
    expect(turn.ran).toEqual(['first', 'guarded', 'second']);
    expect(asked).toEqual(['first', 'guarded', 'second']);
    expect(turn.requests).toHaveLength(2);
    expect(result.usage).toEqual({ inputTokens: 20, outputTokens: 2 });
  });

  test.each([
    ['denied', 'too risky', 'guarded was not run: the user did not allow it (too risky). Do not ask for it again.'],
    ['denied', '', 'guarded was not run: the user did not allow it. Do not ask for it again.'],
    ['expired', '', 'guarded was not run: nobody allowed it in time.'],
  ] as const)('TU-7 an approval that is %s (%j) reaches the model as a refusal', async (decision, reason, told) => {
    const turn = world(['guarded']);
    const { hooks } = guarding('guarded');
    resolve(turn, park(await turn.run({}, { hooks })), decision, reason);
    expect(results(await turn.run({}, { hooks }))).toEqual([`guarded: ${told}`]);
    expect(turn.ran).toEqual([]);
  });

  test.each([
    ['answered', 'blue', 'ask: blue'],
    ['expired', '', 'ask: The user did not answer in time.'],
  ] as const)(
    'TU-7 a question that is %s: the answer is the result, and the tool is not run again',
    async (decision, text, told) => {
      const turn = world(['ask', 'second']);
      const asked = park(await turn.run());
      expect(asked).toMatchObject({ kind: 'question', title: 'Red?', choices: ['yes', 'no'] });
      resolve(turn, asked, decision, text);
      expect(results(await turn.run())).toEqual([told, 'second: second done']);
      expect(turn.ran).toEqual(['ask', 'second']);
    },
  );

  test('TU-7 cancelled while it waits: the turn ends with what there was', async () => {
    const turn = world(['first', 'ask', 'second']);
    resolve(turn, park(await turn.run()), 'cancelled');
    await expect(turn.run()).rejects.toThrow('cancelled');
    expect(turn.progress.interrupted().map((message) => message.text)).toEqual([
      '',
      'first done',
      expect.stringContaining('stopped'),
      expect.stringContaining('stopped'),
    ]);
    expect(turn.ran).toEqual(['first', 'ask']);
  });

  test('TU-7 side by side, what has started finishes, and the first call that waits is asked about', async () => {
    const turn = world(['read', 'ask', 'ask2', 'read2']);
    const again = { volatile: true };
    turn
      .addTool('ask2', 'pure', async () => ({ text: 'Two?', isError: false, asks: { choices: [] } }), again)
      .addTool('read2', 'pure');
    const first = park(await turn.run());
    expect([first.call, turn.progress.messages.length]).toEqual(['ask', 3]);
    resolve(turn, first, 'answered', 'one');
    const second = park(await turn.run());
    expect(second.call).toBe('ask2');
    resolve(turn, second, 'answered', 'two');
    expect(results(await turn.run())).toEqual(['read: read done', 'ask: one', 'ask2: two', 'read2: read2 done']);
    expect(turn.ran).toEqual(['read', 'ask', 'ask2', 'read2', 'ask2']);
  });

  test('TU-7 a tool that asks may itself need approval: one wait after the other', async () => {
    const turn = world(['ask']);
    const { hooks } = guarding('ask');
    const approval = park(await turn.run({}, { hooks }));
    expect(approval.kind).toBe('approval');
    resolve(turn, approval, 'approved');
    const question = park(await turn.run({}, { hooks }));
    expect(question.kind).toBe('question');
    resolve(turn, question, 'answered', 'blue');
    expect(results(await turn.run({}, { hooks }))).toEqual(['ask: blue']);
  });

  test('TU-1 TU-7 killed at any contact between approval and answer, an approved tool of effect once never runs twice', async () => {
    for (let killAt = 1; killAt < 12; killAt += 1) {
      const turn = world(['first', 'guarded', 'second']);
      const { hooks } = guarding('guarded');
      resolve(turn, park(await turn.run({}, { hooks })), 'approved');
      turn.killAt = killAt;
      await turn.run({}, { hooks }).catch(() => undefined);
      turn.killAt = Number.POSITIVE_INFINITY;
      expect((await turn.run({}, { hooks })).text).toBe('done');
      expect(turn.ran.filter((call) => call === 'guarded').length).toBeLessThan(2);
    }
  });

  test('TU-7 QU-3 a cancel that came before the attempt keeps what is journalled and starts nothing, whatever was answered', async () => {
    const turn = world(['first', 'guarded', 'second']);
    const { hooks } = guarding('guarded');
    resolve(turn, park(await turn.run({}, { hooks })), 'approved');
    await expect(turn.run({ cancelled: true }, { hooks })).rejects.toThrow('cancelled');
    expect(turn.ran).toEqual(['first']);
    expect(turn.requests).toHaveLength(1);
    expect(turn.progress.messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
  });
});

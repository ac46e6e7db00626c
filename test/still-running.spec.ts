import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest';
import type { StageModel } from './fakes/stage-model.js';
import { TOKEN, type Answer, type IngressWorld } from './ingress-world.js';
import { proves } from './proves.js';
import { startStageWorld } from './stage-world.js';

let world: IngressWorld;
let model: StageModel;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ ingress: world, model, close } = await startStageWorld());
});
afterAll(() => close());

/** The wait for an answer, `maxTurnMs` and a minute, is over at once. */
function waitIsShort(): void {
  const real = globalThis.setTimeout;
  const short = (run: () => void, ms?: number): NodeJS.Timeout => real(run, ms === 660_000 ? 1 : ms);
  const clock = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation(Object.assign(short, { __promisify__: real.__promisify__ }));
  onTestFinished(() => clock.mockRestore());
}

proves(
  ['IN-5', 'TO-6', 'IN-4'],
  'a turn that takes longer than anybody waits is 504, for a call of a tool too; the same key waits on, and nothing is stored twice',
  async () => {
    const body = { tool: 'current_time', sessionKey: 'slow', idempotencyKey: 'slow 2' };
    const invoke = (): Promise<Answer> =>
      world.call('POST', '/api/sessions/slow/invoke', {
        token: TOKEN.ann,
        body: { message: 'long' },
        headers: { 'idempotency-key': 'slow 1' },
      });
    const call = (): Promise<Answer> => world.call('POST', '/api/tools/invoke', { token: TOKEN.ann, body });
    waitIsShort();
    const [turn, behind] = [await invoke(), await call()];
    vi.restoreAllMocks();
    for (const { status, body: problem } of [turn, behind])
      expect([status, problem.type, problem.detail]).toEqual([
        504,
        'urn:turnpike:problem:still-running',
        expect.stringContaining('the same request with the same Idempotency-Key'),
      ]);
    const speech = await model.next();
    const again = [invoke(), call()];
    speech.say('at last');
    speech.end();
    expect(await Promise.all(again)).toMatchObject([
      { status: 200, body: { outcome: 'answered', text: 'at last' } },
      { status: 200, body: { ok: true } },
    ]);
    const { body: queue } = await world.call('GET', '/api/sessions/slow', { token: TOKEN.ann });
    expect(queue).toMatchObject({ accepted: 2, waiting: 0 });
  },
);

import { Hooks, PLAIN_TEXT, runTurn, type ModelEvent, type Tool, type TurnInput, type TurnSends } from '#agent';
import { loadConfig } from '#config';
import { systemClock } from '#kernel';

/** µs of a tool call that does nothing, inside the process, with a journal that costs nothing. */
export interface WrappedCall {
  /** The tool's own execute. */
  bareUs: number;
  /** In the turn loop: plan, loop detection, time limit, signals, journal entries, events. */
  wrappedUs: number;
  /** The same with five before_tool_call hooks that allow it. */
  hookedUs: number;
}

const HOOKS = 5;
const CALLS = 10;
const TURNS = 200;
const ROUNDS = 9;

const tool: Tool = {
  name: 'nothing',
  description: 'Does nothing.',
  parameters: { type: 'object' },
  effect: 'pure',
  // Side by side they would share their steps.
  parallelSafe: false,
  execute: () => Promise.resolve({ text: 'done', isError: false }),
};
const sends: TurnSends = {
  canSendNow: false,
  abilities: PLAIN_TEXT,
  findMessage: () => Promise.resolve(undefined),
  now: () => Promise.reject(new Error('The tool of this measurement sends nothing')),
  atEnd: () => Promise.resolve({ sequenceInTurn: 1, queuedAt: 0 }),
};
const input: TurnInput = {
  turn: 'bench~0',
  session: 'bench',
  tenant: 'default',
  system: '',
  model: 'nothing',
  history: [],
  user: [{ role: 'user', text: 'go' }],
  journal: [],
  tools: [tool],
  loopDetection: loadConfig({ env: {}, standalone: true }).tools.loopDetection,
};

/** Medians over rounds, all three in each. A call is what a turn with 11 takes longer than one with 1. */
export async function measureWrappedCall(): Promise<WrappedCall> {
  const hooks = new Hooks();
  for (let n = 0; n < HOOKS; n++) hooks.on('before_tool_call', () => undefined);
  const rounds: WrappedCall[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ bareUs: await bareCall(), wrappedUs: await wrappedCall(new Hooks()), hookedUs: await wrappedCall(hooks) });
  }
  const median = (of: (round: WrappedCall) => number): number =>
    rounds.map(of).toSorted((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
  return {
    bareUs: median(({ bareUs }) => bareUs),
    wrappedUs: median(({ wrappedUs }) => wrappedUs),
    hookedUs: median(({ hookedUs }) => hookedUs),
  };
}

async function bareCall(): Promise<number> {
  const state = { get: async () => undefined, set: async () => undefined };
  const context = {
    tenant: input.tenant,
    session: input.session,
    turn: input.turn,
    callId: 'c',
    sends,
    state,
    pay: () => undefined,
  };
  const { signal } = new AbortController();
  const began = performance.now();
  for (let n = 0; n < TURNS * CALLS; n++) await tool.execute({ n }, context, signal);
  return ((performance.now() - began) * 1000) / (TURNS * CALLS);
}

async function wrappedCall(hooks: Hooks): Promise<number> {
  return (((await turnsMs(1 + CALLS, hooks)) - (await turnsMs(1, hooks))) * 1000) / (TURNS * CALLS);
}

async function turnsMs(calls: number, hooks: Hooks): Promise<number> {
  const began = performance.now();
  for (let n = 0; n < TURNS; n++) await turnWith(calls, hooks);
  return performance.now() - began;
}

async function turnWith(calls: number, hooks: Hooks): Promise<void> {
  const step = () => Promise.resolve({ cancelled: false, joins: false });
  let asked = 0;
  const provider = { id: 'nothing', stream: () => answer(asked++ === 0 ? calls : 0) };
  const deps = { provider, hooks, step, sends, emit: () => undefined, clock: systemClock };
  const { messages } = await runTurn(input, deps, new AbortController().signal);
  const done = messages.filter((message) => message.role === 'tool' && !message.isError).length;
  if (done !== calls) throw new Error(`${done} of ${calls} tool calls ran: the measurement is of something else`);
}

async function* answer(calls: number): AsyncGenerator<ModelEvent> {
  for (let n = 0; n < calls; n++) yield { type: 'tool_call', id: `c${n}`, name: tool.name, arguments: `{"n":${n}}` };
  if (calls === 0) yield { type: 'text', text: 'done' };
  yield { type: 'stop', reason: calls === 0 ? 'stop' : 'tool_calls' };
}

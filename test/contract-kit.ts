import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ChannelAccount, ChannelCapabilities, SendContext, SendOutcome } from '#channels';
import type { OutboxAction, OutboxRow, Target } from '#contracts';
import { inboundContract, type ContractInbound } from './contract-inbound.js';
import { previewContract } from './contract-preview.js';
import { rowOf } from './contract-row.js';
import type { Fault } from './fakes/scripted-server.js';

export { rowOf } from './contract-row.js';

/** One account of the channel under test, with its platform played by a fake. Made anew for each test. */
interface ContractSubject {
  account: ChannelAccount;
  target: Target;
  /** Where messages come by webhook. */
  inbound?: ContractInbound;
  /** Where messages go by HTTP. */
  wire?: ContractWire;
  close(): Promise<void>;
}

interface ContractWire {
  fail(...faults: Fault[]): void;
  /** Requests that reached the platform so far. */
  arrived(): number;
  /** How this platform words it, and what the channel must make of it. */
  answers: readonly { says: string; fault: Fault; outcome: SendOutcome['kind']; floorMs?: number }[];
}

/** The halves a channel has; one that is named here must be in the subject too. */
interface ContractParts {
  webhook: boolean;
  http: boolean;
  preview?: true;
}

/** What every channel must hold, whatever its platform (docs/channel-adapters.md). */
export function channelContract(name: string, parts: ContractParts, make: () => Promise<ContractSubject>): void {
  const subject = async () => {
    const made = await make();
    onTestFinished(() => made.close());
    return made;
  };
  describe(`channel contract: ${name}`, () => {
    renderContract(subject);
    boundaryContract(subject);
    sendContract(subject);
    actionContract(subject);
    if (parts.webhook) inboundContract(subject);
    if (parts.http) wireContract(subject);
    if (parts.preview) previewContract(subject);
  });
}

function renderContract(subject: () => Promise<ContractSubject>): void {
  test('OUT-2 render gives at least one chunk, each within the limit, non-blank and in whole characters', async () => {
    const { account, target } = await subject();
    const { capabilities } = account.outbound;
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 60 }), (text, times) => {
        const whole = text.repeat(times);
        const chunks = account.outbound.render(rowOf(target, whole));
        expect(chunks.length).toBeGreaterThan(0);
        for (const chunk of chunks) {
          expect(lengthOf(chunk.text, capabilities)).toBeLessThanOrEqual(capabilities.maxTextLength);
          expect(chunk.text.isWellFormed() || !whole.isWellFormed()).toBe(true);
          expect(chunk.text.trim() !== '' || whole.trim() === '').toBe(true);
          expect(JSON.parse(JSON.stringify(chunk))).toEqual(chunk);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('OUT-2 the chunks together keep every word in its order', async () => {
    const { account, target } = await subject();
    fc.assert(
      fc.property(writtenText, fc.integer({ min: 1, max: 40 }), ({ words, text }, times) => {
        const rendered = account.outbound.render(rowOf(target, `${text}\n\n`.repeat(times)));
        const plain = rendered.map((chunk) => chunk.text).join('');
        let at = 0;
        for (const word of Array.from({ length: times }, () => words).flat()) {
          const found = plain.indexOf(word, at);
          expect(found, `"${word}" after ${at}`).toBeGreaterThanOrEqual(0);
          at = found + word.length;
        }
      }),
      { numRuns: 60 },
    );
  });
}

/** Longer ones are the same code, and slow. */
const MOST_AT_BOUNDARY = 20_000;

function boundaryContract(subject: () => Promise<ContractSubject>): void {
  test('OUT-2 at each boundary of its length a text is cut into chunks that fit, whole characters, nothing lost', async () => {
    const { account, target } = await subject();
    const { capabilities } = account.outbound;
    const limit = Math.min(capabilities.maxTextLength, MOST_AT_BOUNDARY);
    for (const unit of ['a', 'é', '汉', '😀', 'e\u0301', '👩‍👩‍👧']) {
      const fits = Math.floor(limit / lengthOf(unit, capabilities));
      for (const times of [fits - 1, fits, fits + 1, 2 * fits, 2 * fits + 1]) {
        const text = unit.repeat(times);
        const chunks = account.outbound.render(rowOf(target, text)).map((chunk) => chunk.text);
        expect(chunks.join(''), `${times} of ${unit}`).toBe(text);
        for (const chunk of chunks) {
          expect(lengthOf(chunk, capabilities)).toBeLessThanOrEqual(capabilities.maxTextLength);
          expect(chunk.length % unit.length, `${unit} is cut in two`).toBe(0);
        }
      }
    }
  });
}

function lengthOf(text: string, { lengthUnit }: Pick<ChannelCapabilities, 'lengthUnit'>): number {
  if (lengthUnit === 'utf16') return text.length;
  return lengthUnit === 'bytes' ? Buffer.byteLength(text) : Array.from(text).length;
}

function actionContract(subject: () => Promise<ContractSubject>): void {
  test('OUT-2 what it can do to a message is one request, and done again leaves the same', async () => {
    const { account, target } = await subject();
    const made = await sendTo(account, target);
    if (made.kind !== 'sent') throw new Error(made.reason);
    const message = made.platformId;
    const actions: OutboxAction[] = [
      { do: 'edit', message },
      { do: 'react', message, emoji: '👍' },
      { do: 'react', message, emoji: null },
      { do: 'delete', message },
    ];
    for (const action of actions.filter((one) => account.outbound.capabilities[one.do])) {
      const row: OutboxRow = { ...rowOf(target, action.do === 'edit' ? 'new words' : ''), action };
      const chunks = account.outbound.render(row);
      expect(chunks).toHaveLength(1);
      expect(JSON.parse(JSON.stringify(chunks))).toEqual(chunks);
      for (const _ of ['once', 'again']) {
        const [chunk] = chunks;
        if (!chunk) throw new Error('render gave no chunk');
        const context = { idempotencyKey: `${action.do}/0`, row, timeoutMs: 5_000 };
        expect(await account.outbound.send(target, chunk, context, new AbortController().signal), action.do).toMatchObject({
          kind: 'sent',
        });
      }
    }
  });
}

function sendContract(subject: () => Promise<ContractSubject>): void {
  test('OUT-1 send gives the platform id; with the lease lost before, it sends nothing and is tried again', async () => {
    const { account, target, wire } = await subject();
    expect((await sendTo(account, target, { signal: AbortSignal.abort() })).kind).toBe('retry');
    expect(wire?.arrived() ?? 0).toBe(0);
    expect(await sendTo(account, target)).toEqual({ kind: 'sent', platformId: expect.stringMatching(/./) });
  });
}

function wireContract(subject: () => Promise<ContractSubject>): void {
  const wired = async () => {
    const { wire, ...made } = await subject();
    if (!wire) throw new Error('The subject has no wire');
    return { ...made, wire };
  };

  test('OUT-1 send sorts what the platform answers', async () => {
    const { account, target, wire } = await wired();
    expect(wire.answers).not.toEqual([]);
    for (const { says, fault, outcome, floorMs } of wire.answers) {
      wire.fail(fault);
      const result = await sendTo(account, target);
      expect(result.kind, says).toBe(outcome);
      if (floorMs !== undefined) expect(result, says).toMatchObject({ retryAfterMs: floorMs });
      if (result.kind !== 'sent') expect(result.reason, says).toMatch(/./);
    }
  });

  test('OUT-1 a request that left without an answer is unknown: reset, stalled, stopped in between', async () => {
    const { account, target, wire } = await wired();
    wire.fail({ kind: 'reset' }, { kind: 'stall' }, { kind: 'stall' });
    expect((await sendTo(account, target)).kind).toBe('unknown');
    expect((await sendTo(account, target, { timeoutMs: 150 })).kind).toBe('unknown');
    const lease = new AbortController();
    const pending = sendTo(account, target, { signal: lease.signal });
    await expect.poll(() => wire.arrived()).toBe(3);
    lease.abort();
    expect((await pending).kind).toBe('unknown');
  });

  test('OUT-1 where nobody listens nothing was sent: tried again', async () => {
    const { account, target, close } = await wired();
    await close();
    expect((await sendTo(account, target)).kind).toBe('retry');
  });
}

/** Renders a row and sends all of it, in the form in which its chunks are stored. @returns what became of each */
export async function sendAll(
  { outbound }: ChannelAccount,
  row: OutboxRow,
  { signal = new AbortController().signal, ...more }: Partial<SendContext> & { signal?: AbortSignal } = {},
): Promise<SendOutcome[]> {
  const outcomes: SendOutcome[] = [];
  for (const [index, chunk] of outbound.render(row).entries()) {
    const context = { idempotencyKey: `${row.id}/${index}`, row, timeoutMs: 5_000, ...more };
    outcomes.push(await outbound.send(row.target, JSON.parse(JSON.stringify(chunk)), context, signal));
  }
  return outcomes;
}

/** The platform's id of what was sent first. */
export function sentId([outcome]: readonly SendOutcome[]): string {
  if (outcome?.kind !== 'sent') throw new Error(`not sent: ${JSON.stringify(outcome)}`);
  return outcome.platformId;
}

/** Renders `text` and sends its first chunk. */
export function sendTo(
  { outbound }: ChannelAccount,
  target: Target,
  { text = 'hello', timeoutMs = 5_000, signal = new AbortController().signal } = {},
): Promise<SendOutcome> {
  const row = rowOf(target, text);
  const [chunk] = outbound.render(row);
  if (!chunk) throw new Error('render gave no chunk');
  return outbound.send(target, chunk, { idempotencyKey: `${row.id}/0`, row, timeoutMs }, signal);
}

const ornaments = [
  '**',
  '_',
  '`',
  '```\n',
  '# ',
  '- ',
  '1. ',
  '> ',
  '[x](',
  '](http://a.b)',
  '<b>',
  '&amp;',
  '&',
  '<',
  '\n\n',
  '\n    ',
  '|',
  '![',
  '\\',
  '[a]: /b',
  '---\n',
];
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(...ornaments),
      fc.constant('😀汉字 '),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

const word = fc.stringMatching(/^[a-z]{2,12}$/);
const shapes: ((word: string) => string)[] = [
  (w) => w,
  (w) => `**${w}**`,
  (w) => `_${w}_`,
  (w) => `\`${w}\``,
  (w) => `\n\n# ${w}\n\n`,
  (w) => `\n- ${w}\n`,
  (w) => `\n  1. ${w}\n`,
  (w) => `\n> ${w}\n`,
  (w) => `[${w}](https://example.com/?a=1&b=2)`,
  (w) => `\n\n\`\`\`ts\n${w} <T> && x\n\`\`\`\n\n`,
  (w) => `${w.repeat(40)}。`,
];
const writtenText = fc
  .array(fc.tuple(word, fc.constantFrom(...shapes), fc.constantFrom(' ', '\n', '\n\n')), { minLength: 1, maxLength: 30 })
  .map((parts) => ({ words: parts.map(([w]) => w), text: parts.map(([w, shape, gap]) => shape(w) + gap).join('') }));

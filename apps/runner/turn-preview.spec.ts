import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PreviewOutcome, PreviewSign } from '#channels';
import type { JournalEntry } from '#contracts';
import { LeaseLostError, systemClock, type SessionKey, type TurnId } from '#kernel';
import { rowOf } from '../../test/contract-row.js';
import { TurnPreview } from './turn-preview.js';

const target = { channel: 'telegram', account: 'one', conversation: '1' };
const turn = 'm0~0' as TurnId;
const EVERY_MS = 2_000;
const LONG = 'word '.repeat(50);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A platform that answers when it is told to; else at once, with one message. */
function previewed({ journal = [] as JournalEntry[], mayShow = async () => true } = {}) {
  const texts: string[] = [];
  const kept: string[] = [];
  const answers: Promise<PreviewOutcome>[] = [];
  const sign: PreviewSign = {
    everyMs: () => EVERY_MS,
    show: async (_, { text }, __, signal) => {
      texts.push(text);
      const stopped = new Promise<PreviewOutcome>((resolve) =>
        signal.addEventListener('abort', () => resolve({ kind: 'unknown' })),
      );
      return Promise.race([answers.shift() ?? Promise.resolve<PreviewOutcome>({ kind: 'shown', message: 'p1' }), stopped]);
    },
  };
  const keep = async (message: string) => kept.push(message);
  const parts = { sign, turn, target, recipient: 'u1', clock: systemClock, mayShow, keep };
  const preview = new TurnPreview(parts, journal, ({ k }) => k === 'send');
  let said = '';
  const write = (text: string, step = 1) => {
    preview.emit({ type: 'text.delta', turn, step, offset: said.length, text });
    said += text;
  };
  return { preview, texts, kept, answers, write };
}

const hangs = new Promise<never>(() => undefined);
const row = rowOf(target, 'the answer');

test('OUT-3 a long text shows at once, a short one when the model pauses; what is written meanwhile joins the next update', async () => {
  const { texts, kept, write } = previewed();
  write('short');
  await vi.advanceTimersByTimeAsync(900);
  expect(texts).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(texts).toEqual(['short']);
  for (const more of [' and', ' so', ' on']) write(more);
  await vi.advanceTimersByTimeAsync(EVERY_MS - 200);
  expect(texts).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(300);
  expect(texts).toEqual(['short', 'short and so on']);
  expect(kept).toEqual(['p1']);
  const long = previewed();
  long.write(LONG);
  await vi.advanceTimersByTimeAsync(1);
  expect(long.texts).toEqual([LONG]);
});

test('OUT-3 one request at most is on its way, and a pause that the platform wants is kept', async () => {
  const { texts, answers, write } = previewed();
  let answer: (outcome: PreviewOutcome) => void = () => undefined;
  answers.push(new Promise((resolve) => (answer = resolve)), Promise.resolve({ kind: 'later', ms: 9_000 }));
  write(LONG);
  await vi.advanceTimersByTimeAsync(60_000);
  write('more');
  expect(texts).toHaveLength(1);
  answer({ kind: 'shown', message: 'p1' });
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect(texts).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(8_900);
  expect(texts).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(200);
  expect(texts).toHaveLength(3);
});

test('OUT-3 the row waits a second at most for an update that gets no answer, and then takes no place of it', async () => {
  const { preview, answers, write } = previewed();
  write(LONG);
  await vi.advanceTimersByTimeAsync(1);
  answers.push(hangs);
  write('more');
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  const ended = preview.end([row]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await ended).toEqual({ rows: [row], left: ['p1'] });
  expect(await preview.end([row])).toEqual({ rows: [row], left: ['p1'] });
});

test('OUT-3 a row takes the place once; a reaction and an answer to another message do not', async () => {
  const { preview, texts, write } = previewed();
  write(LONG);
  await vi.advanceTimersByTimeAsync(1);
  expect(await preview.givePlace({ ...row, action: { do: 'react', message: '5', emoji: null } })).toBeUndefined();
  expect(await preview.givePlace(row)).toBe('p1');
  expect(await preview.givePlace(row)).toBeUndefined();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(texts).toHaveLength(1);
  const other = previewed();
  other.write(LONG);
  await vi.advanceTimersByTimeAsync(1);
  expect(await other.preview.givePlace({ ...row, target: { ...target, replyTo: '9' } })).toBeUndefined();
  expect(await other.preview.end([row])).toEqual({ rows: [row], left: ['p1'] });
});

test('OUT-3 the next attempt goes on with the message, and shows no answer that is in the journal', async () => {
  const answered: JournalEntry = { k: 'answer', step: 1, text: LONG, toolCalls: [] };
  const sent: JournalEntry = { k: 'send', n: 1, key: 'c', mode: 'immediate', text: 'x', fellBack: false, at: 0 };
  const kept: JournalEntry = { k: 'preview', message: 'p0' };
  const { preview, texts, write } = previewed({ journal: [kept, answered] });
  write(LONG);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(texts).toEqual([]);
  expect(await preview.end([row])).toEqual({ rows: [{ ...row, replaces: 'p0' }], left: [] });
  expect(await previewed({ journal: [kept, sent] }).preview.end([row])).toEqual({ rows: [row], left: [] });
});

test('OUT-3 what lost its claim shows nothing any more', async () => {
  const mayShow = () => Promise.reject(new LeaseLostError('s' as SessionKey, 'step'));
  const { texts, write } = previewed({ mayShow });
  write(LONG);
  await vi.advanceTimersByTimeAsync(1);
  write(LONG);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(texts).toEqual([]);
});

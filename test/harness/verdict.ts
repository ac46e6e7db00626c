import { saidIn } from '../fakes/last-said.js';
import type { TurnRecord } from '#contracts';
import type { WebhookAttempt } from '../fakes/webhook-receiver.js';
import type { Stop } from './fleet.js';
import type { Judge } from './judge.js';

/** Everything that must never be seen, by name, with what was seen. Empty = the promises held. */
export type Verdict = Record<string, unknown[]>;

export interface World {
  judge: Judge;
  /** Session -> its transcript. */
  transcripts: ReadonlyMap<string, readonly TurnRecord[]>;
  /** Session -> ids in the order in which they were accepted. */
  accepted: ReadonlyMap<string, readonly string[]>;
  /** Attempts at a channel that dedupes, and at one that does not. */
  dedupe: readonly WebhookAttempt[];
  plain: readonly WebhookAttempt[];
  stops: readonly Stop[];
  /** Process -> when it ended. */
  deaths: ReadonlyMap<string, number>;
  lockMs: number;
}

/** Raw counts beside the verdict: what the deduplication hid. */
export interface Counts {
  turns: number;
  attempts: number;
  repeatedAttempts: number;
  flagged: number;
  unknownOutcomes: number;
  extraModelCalls: number;
  extraPureCalls: number;
}

/** Judges a run from the outside: the model's, the tools' and the channels' own books against the transcripts. */
export function judgeWorld(world: World): { verdict: Verdict; counts: Counts } {
  const verdict: Verdict = {};
  const fail = (what: string, seen: unknown): void => void (verdict[what] ??= []).push(seen);
  const counts: Counts = {
    turns: 0,
    attempts: 0,
    repeatedAttempts: 0,
    flagged: 0,
    unknownOutcomes: 0,
    extraModelCalls: 0,
    extraPureCalls: 0,
  };
  judgeEnds(world, fail);
  for (const records of world.transcripts.values()) {
    for (const record of records) {
      counts.turns++;
      judgeAnswers(world, record, counts, fail);
      judgeTools(world, record, counts, fail);
    }
  }
  judgeDeliveries(world, counts, fail);
  return { verdict, counts };
}

type Fail = (what: string, seen: unknown) => void;

/** G2, G3: every accepted message has one end, in the order of acceptance. */
function judgeEnds({ transcripts, accepted }: World, fail: Fail): void {
  for (const [session, ids] of accepted) {
    const ended = (transcripts.get(session) ?? []).flatMap(({ inputs }) => inputs);
    const seen = new Set<string>();
    let last = 0;
    for (const { id, seq } of ended) {
      if (seen.has(id)) fail('two ends', { session, id });
      seen.add(id);
      if (seq <= last) fail('out of order', { session, id, seq, last });
      last = seq;
    }
    for (const id of ids) if (!seen.has(id)) fail('lost', { session, id });
    if (seen.size !== new Set(ids).size)
      fail('ends that were never accepted', { session, ended: seen.size, accepted: ids.length });
  }
}

/** Every stored answer came from the model, and the model was not asked again once it was stored (TU-1). */
function judgeAnswers(world: World, record: TurnRecord, counts: Counts, fail: Fail): void {
  const about = saidIn(record.messages.findLast(({ role }) => role === 'user')?.text ?? '');
  const answers = record.messages.filter(({ role }) => role === 'assistant');
  for (const [step, answer] of answers.entries()) {
    if (answer.role !== 'assistant' || answer.interrupted) continue;
    const asked = world.judge.questions.filter((question) => question.about === about && question.step === step);
    const used = asked.findIndex(
      ({ nonce }) => answer.text.includes(nonce) || answer.toolCalls.some((call) => call.arguments.includes(nonce)),
    );
    if (used < 0) fail('answer from nowhere', { turn: record.turn, step, answer });
    counts.extraModelCalls += asked.length - 1;
    const { nonce, process = '', at = 0, answeredAt = Infinity } = asked[used] ?? {};
    for (const again of asked.slice(used + 1)) {
      // Two claims that overlapped, because a busy machine held one of them up: neither had an answer yet, and one could store it.
      const overlapped = again.at <= answeredAt;
      if (!overlapped && !wasStopped(world, again.process, again.at) && !wasStopped(world, process, at))
        fail('model asked again for a journalled answer', { turn: record.turn, step, stored: nonce, asked });
    }
  }
}

/** Finished tools are not run again; `once` never, not even in doubt. */
function judgeTools(world: World, record: TurnRecord, counts: Counts, fail: Fail): void {
  for (const message of record.messages) {
    if (message.role !== 'tool' || message.name === 'message') continue;
    const runs = world.judge.executions.filter(({ turn, callId }) => turn === record.turn && callId === message.callId);
    const unknown = message.text.includes('outcome');
    if (unknown) counts.unknownOutcomes++;
    if (message.name === 'once_tool' && runs.length > 1) fail('once tool run twice', { turn: record.turn, runs });
    const used = runs.findIndex(({ nonce }) => message.text.includes(nonce));
    if (used < 0 && !unknown && !message.isError) fail('tool result from nowhere', { turn: record.turn, message, runs });
    counts.extraPureCalls += Math.max(0, runs.length - 1);
    for (const again of runs.slice(used + 1)) {
      if (
        used >= 0 &&
        !wasStopped(world, again.process ?? '', again.at) &&
        !wasStopped(world, runs[used]?.process ?? '', runs[used]?.at ?? 0)
      ) {
        fail('finished tool run again', { turn: record.turn, runs });
      }
    }
  }
}

/** G5: every send arrives, in the order it was made, with one text; twice only where the channel cannot dedupe, and then flagged. */
function judgeDeliveries(world: World, counts: Counts, fail: Fail): void {
  for (const [attempts, dedupes] of [
    [world.dedupe, true],
    [world.plain, false],
  ] as const) {
    const first = new Map<string, WebhookAttempt>();
    for (const attempt of attempts) {
      counts.attempts++;
      const before = first.get(attempt.message.id);
      if (!before) {
        first.set(attempt.message.id, attempt);
        continue;
      }
      counts.repeatedAttempts++;
      if (before.message.text !== attempt.message.text) fail('one send, two texts', { before, attempt });
      if (attempt.message.possibleDuplicate) counts.flagged++;
      else if (!dedupes && before.answered === 200 && !world.stops.some((stop) => stop.name.startsWith('dispatcher')))
        fail('doubled without a flag', { before, attempt });
    }
    const byConversation = Map.groupBy(first.values(), ({ message }) => message.conversation);
    for (const [conversation, arrived] of byConversation)
      judgeOrder(world, conversation, arrived, dedupes ? 'dedupe' : 'plain', fail);
  }
}

function judgeOrder(
  { transcripts }: World,
  conversation: string,
  arrived: readonly WebhookAttempt[],
  account: string,
  fail: Fail,
): void {
  const records = [...transcripts].find(([session]) => session.endsWith(`.generic.${account}.direct.${conversation}`))?.[1] ?? [];
  const said = records.flatMap(({ messages, outcome }) => (outcome === 'answered' ? messages : []).flatMap(saidBy));
  const heard = arrived.map(({ message }) => message.text);
  const answered = new Set(records.filter(({ outcome }) => outcome === 'answered').map(({ turn }) => turn));
  const ofAnswered = arrived.filter(({ message }) => answered.has(message.turnId)).map(({ message }) => message.text);
  if (JSON.stringify(said) !== JSON.stringify(ofAnswered)) fail('said and heard differ', { conversation, said, heard });
}

/** What one transcript message sends: the message tool's content, or the final text. */
export function saidBy(message: TurnRecord['messages'][number]): string[] {
  if (message.role !== 'assistant') return [];
  const sends = message.toolCalls
    .filter(({ name }) => name === 'message')
    .map((call) => (JSON.parse(call.arguments) as { content: string }).content);
  return message.text ? [message.text, ...sends] : sends;
}

/** A process that was stopped longer than its lock may have acted once more without knowing; its writes were refused. */
function wasStopped({ stops, lockMs }: World, process: string, at: number): boolean {
  return stops.some(({ name, from, to }) => name === process && at >= from - 50 && at <= to + 2 * lockMs);
}

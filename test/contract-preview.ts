import { expect, test } from 'vitest';
import type { ChannelAccount, PreviewOutcome, SendOutcome } from '#channels';
import type { Target } from '#contracts';
import { rowOf } from './contract-row.js';
import type { Fault } from './fakes/scripted-server.js';

interface PreviewWire {
  fail(...faults: Fault[]): void;
  arrived(): number;
  answers: readonly { fault: Fault; outcome: SendOutcome['kind']; floorMs?: number }[];
}

interface PreviewSubject {
  account: ChannelAccount;
  target: Target;
  wire?: PreviewWire;
}

type Shown = { message: string; text: string } | undefined;

/** Of channels that show a text while it is written (docs/channel-adapters.md). */
export function previewContract(subject: () => Promise<PreviewSubject>): void {
  const previewed = async () => {
    const { account, target, wire } = await subject();
    if (!wire) throw new Error('A preview needs a wire');
    return {
      account,
      target,
      wire,
      show: (text: string, shown?: Shown, ms?: number) => show(account, target, { text, shown, ms }),
    };
  };

  test('OUT-3 a text grows by one request each time, beyond what one message holds too', async () => {
    const { account, wire, show } = await previewed();
    let shown: Shown;
    let said = '';
    for (const more of [
      'Once',
      ' upon **a',
      ' time** <!channel> & so',
      ' on'.repeat(account.outbound.capabilities.maxTextLength),
    ]) {
      said += more;
      const before = wire.arrived();
      const outcome = await show(said, shown);
      expect(outcome.kind).toBe('shown');
      expect(wire.arrived()).toBe(before + 1);
      shown = messageOf(outcome, said);
    }
  });

  test('OUT-3 the first chunk takes its place, again and again; where it is gone that is refused', async () => {
    const { account, target, show } = await previewed();
    const shown = messageOf(await show('Once upon'), 'Once upon');
    if (!shown) return expect(account.outbound.preview?.replace).toBeDefined();
    const answer = 'Once upon a time';
    expect(await replace(account, target, shown.message, answer)).toEqual({ kind: 'sent', platformId: shown.message });
    expect(await replace(account, target, shown.message, answer)).toEqual({ kind: 'sent', platformId: shown.message });
    const [removal] = account.outbound.render({ ...rowOf(target, ''), action: { do: 'delete', message: shown.message } });
    if (!removal) throw new Error('render gave no chunk');
    const context = { idempotencyKey: 'gone/0', row: rowOf(target, ''), timeoutMs: 5_000 };
    await account.outbound.send(target, removal, context, new AbortController().signal);
    expect(await replace(account, target, shown.message, answer)).toMatchObject({ kind: 'refused' });
    expect(await show('Once upon a', shown)).toEqual({ kind: 'over' });
  });

  test('OUT-3 an update that fails says whether it may still come, and when there may be another', async () => {
    const { wire, show } = await previewed();
    const shown = messageOf(await show('Once'), 'Once');
    for (const { fault, floorMs } of refusalsOf(wire)) {
      wire.fail(fault);
      expect(await show('Once upon', shown)).toEqual({ kind: 'later', ...(floorMs !== undefined && { ms: floorMs }) });
    }
    wire.fail({ kind: 'reset' }, { kind: 'stall' });
    expect(await show('Once upon', shown)).toEqual({ kind: 'unknown' });
    expect(await show('Once upon a', shown, 150)).toEqual({ kind: 'unknown' });
  });
}

function refusalsOf({ answers }: PreviewWire): { fault: Fault; floorMs?: number }[] {
  const refusals = answers.filter(({ outcome }) => outcome === 'retry');
  expect(refusals).not.toEqual([]);
  return refusals;
}

function messageOf(outcome: PreviewOutcome, text: string): Shown {
  return outcome.kind === 'shown' && outcome.message !== undefined ? { message: outcome.message, text } : undefined;
}

async function show(
  { outbound }: ChannelAccount,
  target: Target,
  { text, shown, ms = 5_000 }: { text: string; shown: Shown; ms?: number | undefined },
): Promise<PreviewOutcome> {
  if (!outbound.preview) throw new Error('The channel has no preview');
  const update = { id: 'm0000~0', text, recipient: 'somebody', hasSent: false, shown };
  return outbound.preview.show(target, update, ms, new AbortController().signal);
}

async function replace({ outbound }: ChannelAccount, target: Target, message: string, text: string): Promise<SendOutcome> {
  const row = { ...rowOf(target, text), replaces: message };
  const [chunk] = outbound.render(row);
  if (!chunk || !outbound.preview?.replace) throw new Error('Nothing to replace with');
  const context = { idempotencyKey: `${row.id}/0`, row, timeoutMs: 5_000 };
  return outbound.preview.replace(target, message, chunk, context, new AbortController().signal);
}

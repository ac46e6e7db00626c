import type { LimitsConfig } from '#config';
import { closeParts, openParts, runApp } from '#host';
import { BenchProcess } from './bench-process.js';
import { envelopeOf } from './bench-message.js';
import { hostMs } from './host-clock.js';
import type { Item } from './questions.js';
import { carryOut } from './send-order.js';

/** Accepts messages as ingress does once it has an envelope: nothing of HTTP. */
const bench = new BenchProcess();
await runApp({ name: 'bench-accept' }, async (context) => {
  const parts = await openParts(context, 'ingress');
  const { idempotencyTtlMs } = context.source.current.lanes;
  const accept = async (item: Item): Promise<void> => {
    bench.mark('accept', item.n);
    await parts.platform.sessions.accept(envelopeOf(item), {
      idempotencyTtlMs,
      quietMs: 0,
      flush: true,
    });
    bench.mark('accepted', item.n);
    bench.handled++;
  };
  const cancel = async (item: Item): Promise<number> => {
    const asked = hostMs();
    const { session } = envelopeOf(item);
    const cancelled = await parts.platform.sessions.cancel(session, { what: 'current' });
    if (cancelled.turn) parts.publisher.cancel({ session, turn: cancelled.turn });
    return asked;
  };
  const limits = async (wanted: LimitsConfig): Promise<null> => {
    await parts.platform.limits.change(() => wanted);
    return null;
  };
  bench.serve({ send: (order) => carryOut(order, accept), cancel, limits });
  return { stop: () => closeParts(parts) };
});

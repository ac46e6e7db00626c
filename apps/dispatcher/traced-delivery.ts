import type { OutboxRow } from '#contracts';
import { inSpanOf, processSpan } from '#telemetry';
import type { DeliveryResult } from './delivery.service.js';

type Final = Extract<DeliveryResult, { kind: 'final' }>;

/** One try at a row, and what follows its end: a part of the trace in which the row was said. */
export function tracedDelivery(
  row: OutboxRow,
  work: () => Promise<DeliveryResult>,
  atEnd: (final: Final) => Promise<void>,
): Promise<DeliveryResult> {
  const attributes = {
    'messaging.message.id': row.id,
    'gen_ai.conversation.id': row.session,
    'turnpike.tenant': row.tenant,
    'turnpike.channel': row.target.channel,
    'turnpike.turn.id': row.turn,
    'turnpike.delivery.mode': row.mode,
  };
  return inSpanOf(row.trace, processSpan('deliveries', attributes), async (span) => {
    const result = await work();
    const outcome = result.kind === 'final' ? result.receipt.state : result.kind;
    span.set({ 'turnpike.delivery.outcome': outcome });
    if (result.kind !== 'final') return result;
    if (outcome !== 'sent') span.fail(outcome);
    await atEnd(result);
    return result;
  });
}

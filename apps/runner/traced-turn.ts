import { inSpanOf, processSpan } from '#telemetry';
import { messageIds, type ClaimedTurn } from './claimed-turn.js';
import type { TurnDone } from './turn.service.js';

/** One claim's work on a turn: a part of the trace of the message that began it, whatever claim this is; the other messages are linked. */
export function tracedTurn(turn: ClaimedTurn, work: () => Promise<TurnDone>): Promise<TurnDone> {
  const [{ tenant, agent, target, trace }, ...others] = turn.envelopes;
  const attributes = {
    'messaging.batch.message_count': turn.messages.length,
    'messaging.message.id': messageIds(turn)[0],
    'gen_ai.conversation.id': turn.claim.key,
    'gen_ai.agent.name': agent,
    'turnpike.tenant': tenant,
    'turnpike.channel': target.channel,
    'turnpike.turn.id': turn.id,
    'turnpike.turn.attempt': Math.max(...turn.messages.map(({ crashes }) => crashes)) + 1,
  };
  const links = others.flatMap((other) => other.trace ?? []);
  return inSpanOf(trace, processSpan('turns', attributes, links), async (span) => {
    const done = await work();
    if (done.kind !== 'committed') span.set({ 'turnpike.turn.outcome': done.kind });
    else {
      const { outcome, reason } = done.record;
      span.set({ 'turnpike.turn.outcome': outcome });
      if (outcome === 'failed' || outcome === 'dead') span.fail(reason ?? outcome);
    }
    return done;
  });
}

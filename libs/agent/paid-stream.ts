import type { Spent, Tier } from '#contracts';
import { AnswerParts } from './answer-parts.js';
import { requestTokens, textTokens } from './context/token-estimate.js';
import type { ModelEvent, ModelRequest } from './model-port.js';

interface Asked {
  request: ModelRequest;
  /** Id of the provider that is asked. */
  provider: string;
  tier: Tier;
  pay(spent: Spent | undefined): void;
}

/**
 * Passes the events of one answer on, and pays for it when it ends: what the provider counted, also where the answer died or
 * began again; our estimate for a whole one where it counted nothing (MO-5).
 */
export async function* paidStream(
  events: AsyncIterable<ModelEvent>,
  { request, provider, tier, pay }: Asked,
): AsyncGenerator<ModelEvent> {
  const answer = new AnswerParts(provider, request.model);
  try {
    for await (const event of events) {
      if (event.type === 'restart' || event.type === 'answering') pay(answer.spent(tier));
      answer.add(event);
      yield event;
    }
  } finally {
    pay(answer.spent(tier) ?? (answer.stop && estimated(request, answer, tier)));
  }
}

function estimated(request: ModelRequest, { provider, model, text, toolCalls }: AnswerParts, tier: Tier): Spent {
  const written = toolCalls.reduce((sum, call) => sum + textTokens(call.name) + textTokens(call.arguments), textTokens(text));
  return {
    model: `${provider}/${model}`,
    tier,
    inputTokens: Math.ceil(requestTokens(request)),
    outputTokens: Math.ceil(written),
    estimated: true,
  };
}

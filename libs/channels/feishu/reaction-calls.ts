import { z } from 'zod';
import type { SendContext, SendOutcome } from '../channel-port.js';
import type { FeishuApi } from './feishu-api.js';
import { KNOWN_REACTIONS, reactionName } from './reaction-emoji.js';

const listSchema = z.object({
  items: z
    .array(z.object({ reaction_id: z.string(), operator: z.object({ operator_id: z.string(), operator_type: z.string() }) }))
    .default([]),
});

type Budget = Pick<SendContext, 'timeoutMs'>;

/** Reactions of the app: Feishu adds them by name, and takes them back by an id of their own. */
export class ReactionCalls {
  constructor(
    private readonly api: FeishuApi,
    private readonly appId: string,
  ) {}

  /** @param emoji  null takes back whatever the app reacted with */
  async react(message: string, emoji: string | null, budget: Budget, signal: AbortSignal): Promise<SendOutcome> {
    if (emoji === null) return this.takeBack(message, budget, signal);
    const name = reactionName(emoji);
    if (name === undefined) return { kind: 'refused', reason: `Feishu has no such reaction; some it has: ${KNOWN_REACTIONS}` };
    const body = { reaction_type: { emoji_type: name } };
    const answer = await this.api.call({ method: 'POST', path: `/im/v1/messages/${message}/reactions`, body }, budget, signal);
    return answer.kind === 'ok' ? { kind: 'sent', platformId: message } : answer.outcome;
  }

  private async takeBack(message: string, budget: Budget, signal: AbortSignal): Promise<SendOutcome> {
    const path = `/im/v1/messages/${message}/reactions`;
    const listed = await this.api.call({ method: 'GET', path: `${path}?page_size=50` }, budget, signal);
    if (listed.kind === 'error') return listed.outcome;
    const { items } = listSchema.parse(listed.data);
    const ours = items.filter(({ operator }) => operator.operator_type === 'app' && operator.operator_id === this.appId);
    for (const { reaction_id: id } of ours) {
      const answer = await this.api.call({ method: 'DELETE', path: `${path}/${encodeURIComponent(id)}` }, budget, signal);
      if (answer.kind === 'error') return answer.outcome;
    }
    return { kind: 'sent', platformId: message };
  }
}

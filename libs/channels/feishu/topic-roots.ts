import { z } from 'zod';
import type { SendContext, SendOutcome } from '../channel-port.js';
import type { FeishuApi } from './feishu-api.js';

const listSchema = z.object({ items: z.array(z.object({ message_id: z.string() })) });

/** A process talks in so many topics at a time; those it forgets it asks for again. */
const MOST_REMEMBERED = 1_000;

/**
 * The first message of a topic. Feishu sends into a topic only by a reply to a message in it, and targets name the topic
 * alone. It never changes, so it is asked for once.
 */
export class TopicRoots {
  private readonly roots = new Map<string, string>();

  constructor(private readonly api: FeishuApi) {}

  async find(
    topic: string,
    budget: Pick<SendContext, 'timeoutMs'>,
    signal: AbortSignal,
  ): Promise<{ id: string } | { outcome: Exclude<SendOutcome, { kind: 'sent' }> }> {
    const known = this.roots.get(topic);
    if (known !== undefined) return { id: known };
    const query = new URLSearchParams({
      container_id_type: 'thread',
      container_id: topic,
      sort_type: 'ByCreateTimeAsc',
      page_size: '1',
    });
    const answer = await this.api.call({ method: 'GET', path: `/im/v1/messages?${query.toString()}` }, budget, signal);
    // Nothing was sent, whatever became of this question.
    if (answer.kind === 'error') {
      const { kind, reason, ...rest } = answer.outcome;
      return {
        outcome: { ...rest, kind: kind === 'refused' ? 'refused' : 'retry', reason: `the topic was not found: ${reason}` },
      };
    }
    const [first] = listSchema.safeParse(answer.data).data?.items ?? [];
    if (!first) return { outcome: { kind: 'refused', reason: 'the topic has no message to answer' } };
    this.remember(topic, first.message_id);
    return { id: first.message_id };
  }

  private remember(topic: string, root: string): void {
    const [oldest] = this.roots.size >= MOST_REMEMBERED ? this.roots.keys() : [];
    if (oldest !== undefined) this.roots.delete(oldest);
    this.roots.set(topic, root);
  }
}

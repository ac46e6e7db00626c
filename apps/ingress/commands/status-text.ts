import type { QueueMode } from '#contracts';
import type { SessionView } from '../messages/session-view.js';
import { spanText } from './spans.js';

/** `mode` is the one in force. */
export function queueText({ waiting, oldestWaitingMs, running }: SessionView, mode: QueueMode): string {
  const oldest = oldestWaitingMs === null ? '' : `, the oldest for ${spanText(oldestWaitingMs)}`;
  const ahead = waiting + (running ? 1 : 0);
  const place = ahead === 0 ? 'a new message is answered at once' : `a new message is number ${ahead + 1}`;
  return `Queue: ${mode}, ${waiting} waiting${oldest}; ${place}`;
}

export function runningText({ running, runningMs }: SessionView): string {
  return running ? `Running: ${running} for ${spanText(runningMs ?? 0)}` : 'Running: nothing';
}

export function usageText({ usage: { inputTokens, outputTokens }, cost }: Pick<SessionView, 'usage' | 'cost'>): string {
  return `Tokens of this session: ${inputTokens} in, ${outputTokens} out${costText({ cost })}`;
}

/** '' where nothing has a price. */
export function costText({ cost }: { cost: number }): string {
  return cost === 0 ? '' : `, cost ${Number(cost.toFixed(6))}`;
}

/** undefined: nothing was said yet. */
export function epochText({ epoch, beganAt }: SessionView): string | undefined {
  return beganAt === null ? undefined : `Conversation ${epoch + 1}, since ${new Date(beganAt).toISOString().slice(0, 16)}Z`;
}

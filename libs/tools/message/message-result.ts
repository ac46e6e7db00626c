import { z } from 'zod';
import type { SendState, ToolResult } from '#agent';
import type { OutboxAction, SendExtras } from '#contracts';

/** What the model reads after a send (TO-1). Exactly one of deliveredAt and queuedAt where the text is or will be out. */
interface MessageReport {
  ok: boolean;
  state: 'sent' | 'queued' | 'unknown' | 'failed' | 'dropped';
  deliveryMode: 'immediate' | 'batched';
  sequenceInTurn?: number;
  /** ms since the epoch */
  deliveredAt?: number;
  queuedAt?: number;
  platformMessageId?: string;
  /** Of each part, where the text took several messages. */
  platformMessageIds?: string[];
  /** What was done instead of sending, and to which message. */
  action?: OutboxAction['do'];
  messageId?: string;
  /** The message that it answers. */
  replyTo?: string;
  fellBackToBatch?: true;
  note?: string;
  error?: string;
}

const NO_REPEAT = 'Do not send it again.';

function result(report: MessageReport): ToolResult {
  return { text: JSON.stringify(report), isError: !report.ok };
}

export function batched(
  { sequenceInTurn, queuedAt }: { sequenceInTurn: number; queuedAt: number },
  content: SendExtras,
  fellBack = false,
): ToolResult {
  return result({
    ok: true,
    state: 'queued',
    deliveryMode: 'batched',
    ...targetOf(content),
    sequenceInTurn,
    queuedAt,
    ...(fellBack && { fellBackToBatch: true }),
    note: `It leaves when the turn ends. ${NO_REPEAT}`,
  });
}

/** Neither queued anywhere nor out: the model decides what to do. */
export function failed(error: string, sequenceInTurn?: number): ToolResult {
  return result({
    ok: false,
    state: 'failed',
    deliveryMode: 'immediate',
    ...(sequenceInTurn !== undefined && { sequenceInTurn }),
    error,
  });
}

/** What stands in the transcript of a turn that was stopped, instead of "queued": the next turn's model reads it (trap T5). */
export function dropped(): ToolResult {
  return result({
    ok: false,
    state: 'dropped',
    deliveryMode: 'batched',
    error: 'The turn was stopped before its end: this text was not sent.',
  });
}

/** An immediate send that is out, on its way, or may be out: no second copy is ever made of it (trap T2). */
export function immediate(send: SendState, content: SendExtras): ToolResult {
  const { sequenceInTurn } = send;
  const common = { ok: true, deliveryMode: 'immediate', ...targetOf(content), sequenceInTurn } as const;
  if (send.state === 'queued') {
    const note = `It is on its way. ${NO_REPEAT}`;
    return result({ ...common, state: 'queued', queuedAt: send.queuedAt, note });
  }
  const { receipt } = send;
  if (receipt.state === 'unknown') {
    const note = `The platform did not confirm it; it may have arrived. ${NO_REPEAT}`;
    return result({ ...common, state: 'unknown', note });
  }
  const { platformIds } = receipt;
  const [platformMessageId, ...more] = platformIds;
  return result({
    ...common,
    state: 'sent',
    deliveredAt: receipt.at,
    ...(!content.action && platformMessageId !== undefined && { platformMessageId }),
    ...(!content.action && more.length > 0 && { platformMessageIds: platformIds }),
  });
}

function targetOf({ action, replyTo }: SendExtras): Pick<MessageReport, 'action' | 'messageId' | 'replyTo'> {
  if (replyTo !== undefined) return { replyTo };
  return action ? { action: action.do, messageId: action.message } : {};
}

const reportSchema = z.object({
  sequenceInTurn: z.number(),
  action: z.string().optional(),
  messageId: z.string().optional(),
  platformMessageId: z.string().optional(),
  platformMessageIds: z.array(z.string()).optional(),
});

export interface ReadReport {
  sequenceInTurn: number;
  action: string | undefined;
  /** What the action was about. */
  messageId: string | undefined;
  platformIds: readonly string[];
}

/** What a result of the tool said it did; undefined: nothing. */
export function readReport(text: string): ReadReport | undefined {
  const { data } = reportSchema.safeParse(parsed(text));
  if (!data) return undefined;
  const { sequenceInTurn, action, messageId, platformMessageId: id, platformMessageIds } = data;
  return { sequenceInTurn, action, messageId, platformIds: platformMessageIds ?? (id === undefined ? [] : [id]) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { SendState, ToolResult } from '#agent';

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
  fellBackToBatch?: true;
  note?: string;
  error?: string;
}

const NO_REPEAT = 'Do not send it again.';

function result(report: MessageReport): ToolResult {
  return { text: JSON.stringify(report), isError: !report.ok };
}

export function batched(row: { sequenceInTurn: number; queuedAt: number }, fellBack: boolean): ToolResult {
  const { sequenceInTurn, queuedAt } = row;
  return result({
    ok: true,
    state: 'queued',
    deliveryMode: 'batched',
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
export function immediate(send: SendState): ToolResult {
  const { sequenceInTurn } = send;
  if (send.state === 'queued') {
    const note = `It is on its way. ${NO_REPEAT}`;
    return result({ ok: true, state: 'queued', deliveryMode: 'immediate', sequenceInTurn, queuedAt: send.queuedAt, note });
  }
  const { receipt } = send;
  if (receipt.state === 'unknown') {
    const note = `The platform did not confirm it; it may have arrived. ${NO_REPEAT}`;
    return result({ ok: true, state: 'unknown', deliveryMode: 'immediate', sequenceInTurn, note });
  }
  const [platformMessageId] = receipt.platformIds;
  return result({
    ok: true,
    state: 'sent',
    deliveryMode: 'immediate',
    sequenceInTurn,
    deliveredAt: receipt.at,
    ...(platformMessageId !== undefined && { platformMessageId }),
  });
}

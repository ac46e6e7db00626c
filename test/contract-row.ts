import type { OutboxRow, Target } from '#contracts';

/** A row as a turn would leave it. */
export function rowOf(target: Target, text: string): OutboxRow {
  const turn = 'm0000~0';
  return {
    v: 1,
    id: `${turn}-1`,
    tenant: 'default',
    session: 's',
    turn,
    n: 1,
    mode: 'final',
    fellBack: false,
    target,
    text,
    at: 0,
  };
}

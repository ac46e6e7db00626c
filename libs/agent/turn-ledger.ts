import type { JournalEntry, Spent, Usage } from '#contracts';

const PARTS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'reasoningTokens'] as const;

/** What one turn has paid for, over all its attempts: each payment once, because it is in one entry of the journal (MO-5). */
export class TurnLedger {
  /** Of everything. */
  readonly total: Usage = { inputTokens: 0, outputTokens: 0 };
  readonly #lines = new Map<string, Spent>();
  #unwritten: Spent[] = [];

  constructor(journal: readonly JournalEntry[]) {
    for (const entry of journal) if ('spent' in entry) entry.spent?.forEach((spent) => this.#count(spent));
  }

  /** By model and tier. */
  get lines(): readonly Spent[] {
    return [...this.#lines.values()];
  }

  /** Paid, and in no entry of the journal yet: it belongs into the next one. */
  get unwritten(): readonly Spent[] {
    return this.#unwritten;
  }

  pay(spent: Spent | undefined): void {
    if (!spent) return;
    this.#count(spent);
    this.#unwritten.push(spent);
  }

  /** `spent` is in the journal. */
  written(spent: readonly Spent[] | undefined): void {
    this.#unwritten = this.#unwritten.filter((one) => !spent?.includes(one));
  }

  #count(spent: Spent): void {
    const { model, tier } = spent;
    const key = `${tier} ${model}`;
    const line = this.#lines.get(key) ?? { model, tier, inputTokens: 0, outputTokens: 0 };
    this.#lines.set(key, line);
    addUsage(line, spent);
    addUsage(this.total, spent);
  }
}

/** Of several lines. */
export function totalOf(lines: readonly Spent[]): Usage {
  const total: Usage = { inputTokens: 0, outputTokens: 0 };
  for (const line of lines) addUsage(total, line);
  return total;
}

function addUsage(sum: Usage, usage: Usage): void {
  for (const part of PARTS) {
    const added = usage[part];
    if (added) sum[part] = (sum[part] ?? 0) + added;
  }
  if (usage.estimated) sum.estimated = true;
}

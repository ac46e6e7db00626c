import { costOf, millionths, type Spent, type Tier } from '#contracts';

/** What one agent used of one model for one tier. */
export interface UsageLine {
  agent: string;
  model: string;
  tier: Tier;
  inputTokens: number;
  outputTokens: number;
  /** Parts of the input. */
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** Part of the output. */
  reasoningTokens: number;
  cost: number;
}

const PARTS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'reasoningTokens'] as const;

/**
 * The fields of a day's hash and what a turn adds to them: `tokens`, `cost`, `agent <agent> tokens`, and
 * `line <agent> <tier> <model> inputTokens`, and so on. Cost is in millionths; what adds nothing is left out.
 * Written by the commit of the turn (libs/sessions).
 */
export function usageFields(agent: string, spent: readonly Spent[]): (string | number)[] {
  const tokens = spent.reduce((sum, line) => sum + line.inputTokens + line.outputTokens, 0);
  const cost = millionths(costOf(spent));
  const of = `agent ${agent}`;
  const fields: (string | number)[] = [];
  const add = (field: string, amount: number): void => void (amount > 0 && fields.push(field, amount));
  add('tokens', tokens);
  add('cost', cost);
  add(`${of} tokens`, tokens);
  add(`${of} cost`, cost);
  for (const line of spent) {
    const name = `line ${agent} ${line.tier} ${line.model}`;
    for (const part of PARTS) add(`${name} ${part}`, line[part] ?? 0);
    add(`${name} cost`, millionths(line.cost ?? 0));
  }
  return fields;
}

/** @param hashes one of each bucket: field, value, field, value... as Redis answers */
export function readDay(hashes: readonly (readonly string[])[]): { tokens: number; cost: number; lines: UsageLine[] } {
  const lines = new Map<string, UsageLine>();
  const sums = { tokens: 0, cost: 0 };
  for (const [field, amount] of addedUp(hashes)) {
    const [kind, agent = '', tier = '', model = '', part = ''] = field.split(' ');
    const value = field.endsWith('cost') ? amount / 1_000_000 : amount;
    if (field === 'tokens' || field === 'cost') sums[field] = value;
    if (kind !== 'line') continue;
    const line = lines.get(`${agent} ${tier} ${model}`) ?? emptyLine(agent, model, tier === 'utility' ? 'utility' : 'main');
    lines.set(`${agent} ${tier} ${model}`, Object.assign(line, { [part]: value }));
  }
  return { ...sums, lines: [...lines.values()] };
}

function addedUp(hashes: readonly (readonly string[])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const hash of hashes)
    for (let index = 0; index < hash.length; index += 2) {
      const field = hash[index] ?? '';
      sums.set(field, (sums.get(field) ?? 0) + Number(hash[index + 1]));
    }
  return sums;
}

function emptyLine(agent: string, model: string, tier: Tier): UsageLine {
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, cost: 0 };
  return { agent, model, tier, ...none };
}

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
 * `line <agent> <tier> <model> inputTokens`, and so on. Cost is in millionths.
 */
export function fieldsOf(agent: string, spent: readonly Spent[]): (string | number)[] {
  const tokens = spent.reduce((sum, line) => sum + line.inputTokens + line.outputTokens, 0);
  const cost = millionths(costOf(spent));
  const sums = ['tokens', tokens, 'cost', cost, `agent ${agent} tokens`, tokens, `agent ${agent} cost`, cost];
  const lines = spent.flatMap((line) => {
    const of = `line ${agent} ${line.tier} ${line.model}`;
    return [...PARTS.flatMap((part) => [`${of} ${part}`, line[part] ?? 0]), `${of} cost`, millionths(line.cost ?? 0)];
  });
  return [...sums, ...lines];
}

/** @param hash field, value, field, value... as Redis answers */
export function readDay(hash: readonly string[]): { tokens: number; cost: number; lines: UsageLine[] } {
  const lines = new Map<string, UsageLine>();
  const sums = { tokens: 0, cost: 0 };
  for (let index = 0; index < hash.length; index += 2) {
    const field = hash[index] ?? '';
    const name = field.slice(field.lastIndexOf(' ') + 1);
    const amount = Number(hash[index + 1]) / (name === 'cost' ? 1_000_000 : 1);
    const [kind, agent = '', tier = '', model = ''] = field.split(' ');
    if (field === 'tokens' || field === 'cost') sums[field] = amount;
    if (kind !== 'line') continue;
    const line = lines.get(`${agent} ${tier} ${model}`) ?? emptyLine(agent, model, tier === 'utility' ? 'utility' : 'main');
    lines.set(`${agent} ${tier} ${model}`, Object.assign(line, { [name]: amount }));
  }
  return { ...sums, lines: [...lines.values()] };
}

function emptyLine(agent: string, model: string, tier: Tier): UsageLine {
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, cost: 0 };
  return { agent, model, tier, ...none };
}

import { TransientError } from '#kernel';
import { isOverflow } from './context-overflow.js';
import type { Compaction, ContextBudget, Conversation, PastTurn, Summariser } from './context-engine.js';
import { limitsOf } from './context-limits.js';
import { cutText } from './cut-text.js';
import { faultsOf, identifiersOf, material, SUMMARY_SYSTEM, withIdentifiers } from './summary-prompt.js';
import { textTokens } from './token-estimate.js';

/** Of the window: a summary that grew with the conversation would have to be compacted itself. */
const SUMMARY_SHARE = 0.1;
/** The material of a model that refuses it is halved this often. */
const HALVINGS = 3;

/** Compaction by summary: checked for headings and identifiers, asked for once more when it fails. */
export async function summarise(
  { summary, history }: Conversation,
  budget: ContextBudget,
  summariser: Summariser,
): Promise<Compaction | undefined> {
  const covered = history.slice(0, Math.max(0, history.length - budget.keepRecentTurns));
  const last = covered.at(-1);
  if (!last) return undefined;
  const identifiers = identifiersOf(summary, covered);
  const first = await draft(summary, covered, budget, summariser);
  const faults = faultsOf(first, identifiers);
  const second = faults.length > 0 ? await draft(summary, covered, budget, summariser, faults) : first;
  const best = faultsOf(second, identifiers).length <= faults.length ? second : first;
  if (best.trim() === '') throw new TransientError('empty_response', 'The model summarised with nothing');
  const most = (budget.windowTokens / budget.scale) * SUMMARY_SHARE;
  return { summary: withIdentifiers(cutText(best.trim(), most, true), identifiers), upTo: last.turn };
}

async function draft(
  summary: string,
  turns: readonly PastTurn[],
  budget: ContextBudget,
  { windowTokens, ask }: Summariser,
  faults: readonly string[] = [],
): Promise<string> {
  const note = faults.length > 0 ? `\n\nYour last summary would not do: ${faults.join('; ')}. Write it again, whole.` : '';
  const { room } = limitsOf({ ...budget, windowTokens });
  const rest = room - textTokens(SUMMARY_SYSTEM) - textTokens(note);
  for (let halved = 0; ; halved += 1) {
    try {
      return await ask({ system: SUMMARY_SYSTEM, text: `${material(summary, turns, rest / 2 ** halved)}${note}` });
    } catch (error) {
      if (!isOverflow(error) || halved === HALVINGS) throw error;
    }
  }
}

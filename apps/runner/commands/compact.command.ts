import type { OrderedCommand } from './ordered-command.js';

/** More than this is no focus. */
const FOCUS_CHARS = 800;

export const compactCommand: OrderedCommand = async ({ args, agent, compact }) => {
  const { keepRecentTurns } = agent.context;
  const done = await compact(args.slice(0, FOCUS_CHARS));
  if (done === 'failed') return { reply: 'The conversation could not be compacted. It goes on as it is.' };
  if (!done) return { reply: `There is nothing to compact: the last ${keepRecentTurns} turns always stay as they are.` };
  const turns = done.turns === 1 ? 'One turn is' : `${done.turns} turns are`;
  return { reply: `${turns} a summary now. The last ${keepRecentTurns} stay as they are.` };
};

import { unknownModel } from './known-model.js';
import type { OrderedCommand } from './ordered-command.js';

/** /new: the model goes back to the agent's own, or to the one that is named. */
export const newCommand: OrderedCommand = async ({ args, agent, models, session, archiveTtlMs }) => {
  const fault = args === '' ? undefined : unknownModel(models, args);
  if (fault) return { reply: fault };
  const { begun } = await session.reset({ archiveTtlMs, settings: { model: args === '' ? null : args } });
  return { reply: `New conversation with ${args === '' ? agent.model : args}.`, startsEpoch: true, begun };
};

/** /reset: everything that was chosen stays. */
export const resetCommand: OrderedCommand = async ({ session, archiveTtlMs }) => {
  const { begun } = await session.reset({ archiveTtlMs, settings: {} });
  return { reply: 'New conversation.', startsEpoch: true, begun };
};

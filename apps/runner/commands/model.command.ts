import { unknownModel } from './known-model.js';
import type { OrderedCommand } from './ordered-command.js';

/** Checked here, where it will be used: other processes may know other providers. */
export const modelCommand: OrderedCommand = async ({ turn, args, agent, models, session }) => {
  const chosen = turn.settings.model;
  if (args === '') return { reply: `Model: ${chosen ?? agent.model}${chosen ? ` (default ${agent.model})` : ''}` };
  const back = args.toLowerCase() === 'default';
  const fault = back ? undefined : unknownModel(models, args);
  if (fault) return { reply: fault };
  await session.changeSettings({ model: back ? null : args });
  return {
    reply: back ? `Model: ${agent.model} (default) from the next message on.` : `Model: ${args} from the next message on.`,
  };
};

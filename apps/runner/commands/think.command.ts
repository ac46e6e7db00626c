import { thinkingLevelSchema } from '#contracts';
import { nearestLevel } from '#models';
import { commandHelp } from '#routing';
import type { OrderedCommand } from './ordered-command.js';

/** A level that the model does not know steps down to one it does, at each request: the model may change. */
export const thinkCommand: OrderedCommand = async ({ turn, args, agent, models, session }) => {
  const { thinking, model = agent.model } = turn.settings;
  const word = args.toLowerCase();
  if (word === '') return { reply: `Thinking: ${thinking ?? agent.thinking ?? 'as the model likes'}` };
  const asked = thinkingLevelSchema.safeParse(word).data;
  if (!asked && word !== 'default') return { reply: commandHelp('think') };
  if (!asked) {
    await session.changeSettings({ thinking: null });
    return { reply: 'Thinking: as the model likes, from the next message on.' };
  }
  const {
    keys: [provider],
    model: name,
  } = models.resolve(model);
  const level = nearestLevel(provider.thinkingLevels?.(name) ?? [], asked);
  if (!level) return { reply: `${model} has no thinking levels that I can set. Nothing has changed.` };
  await session.changeSettings({ thinking: asked });
  const stepped = level === asked ? '' : ` (${level} with ${model})`;
  return { reply: `Thinking: ${asked}${stepped}, from the next message on.` };
};

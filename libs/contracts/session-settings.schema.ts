import { z } from 'zod';
import { queueModeSchema } from './queue-mode.schema.js';

/** How much a model thinks before it answers, least first; `adaptive`: it decides by itself. */
export const thinkingLevelSchema = z.enum(['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'adaptive']);
export type ThinkingLevel = z.infer<typeof thinkingLevelSchema>;

/** What the people in one session have chosen for it by command (RT-4); what is absent comes from the configuration. */
export const sessionSettingsSchema = z.object({
  queueMode: queueModeSchema.optional(),
  model: z.string().max(120).optional(),
  thinking: thinkingLevelSchema.optional(),
  /** The names of tool calls are shown as they happen. */
  verbose: z.boolean().optional(),
  /** What the model thinks before it answers is sent, marked as that. */
  reasoning: z.boolean().optional(),
  /** false: turns run and are recorded, and nothing of them leaves. */
  send: z.boolean().optional(),
  /** In groups: answer when mentioned, or every message. */
  activation: z.enum(['mention', 'always']).optional(),
});
export type SessionSettings = z.infer<typeof sessionSettingsSchema>;

/** null takes a setting back. */
export type SettingsPatch = { [Name in keyof SessionSettings]?: Exclude<SessionSettings[Name], undefined> | null };

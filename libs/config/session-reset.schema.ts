import { z } from 'zod';

const timeZone = z.string().refine(isTimeZone, 'is no time zone').describe('IANA name, for example Europe/Berlin or UTC');

const ruleSchema = z.strictObject({
  dailyAtHour: z.int().min(0).max(23).optional().describe('Begin anew with the first message after this hour of the day'),
  timeZone: timeZone.default('UTC'),
  idleMinutes: z.int().min(0).max(5_256_000).default(0).describe('Begin anew after so long without a turn; 0 = never'),
});

/** RT-3. Whichever comes first counts; a rule that names neither hour nor minutes never resets. */
export const sessionResetSections = {
  reset: ruleSchema.prefault({}),
  resetByType: z
    .strictObject({ direct: ruleSchema.optional(), group: ruleSchema.optional(), thread: ruleSchema.optional() })
    .prefault({}),
  resetByChannel: z.record(z.string().regex(/^[a-z0-9-]{1,32}$/), ruleSchema).default({}),
};

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

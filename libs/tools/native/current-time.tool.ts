import { z } from 'zod';
import type { Tool } from '#agent';
import type { Clock } from '#kernel';
import { defineTool } from '../define-tool.js';

export function currentTimeTool(clock: Clock): Tool {
  return defineTool({
    name: 'current_time',
    description: 'Tells the current date and time in a time zone.',
    schema: z.object({
      timeZone: z.string().default('UTC').describe('IANA name, for example Asia/Shanghai or Europe/Berlin.'),
    }),
    effect: 'pure',
    volatile: true,
    async execute({ timeZone }) {
      const now = new Date(clock.now());
      try {
        const local = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'long' }).format(now);
        return { text: `${local} (${now.toISOString()})`, isError: false };
      } catch {
        return { text: `"${timeZone}" is not a time zone. Use an IANA name such as Europe/Berlin.`, isError: true };
      }
    },
  });
}

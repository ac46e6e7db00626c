import { z } from 'zod';

/** Name of the command whose turn is one call of a tool (TO-6). No chat can write it: it is none of the table. */
export const INVOKE = 'invoke-tool';

export const invocationSchema = z.object({ tool: z.string().min(1).max(128), args: z.record(z.string(), z.unknown()) });
export type Invocation = z.infer<typeof invocationSchema>;

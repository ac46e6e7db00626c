import { z } from 'zod';
import { invocationSchema } from '#contracts';

/** Body of `POST /api/tools/invoke`. */
export const invokeBodySchema = z.strictObject({
  tool: invocationSchema.shape.tool,
  args: invocationSchema.shape.args.default({}),
  /** A session's name or its whole key; undefined = the caller's own. */
  sessionKey: z.string().min(1).max(512).optional(),
  idempotencyKey: z
    .string()
    .regex(/^[\x20-\x7e]{1,200}$/, 'send 1 to 200 printable ASCII characters')
    .optional(),
});
export type InvokeBody = z.output<typeof invokeBodySchema>;

import { z } from 'zod';
import { refuseOptions } from './refused-options.js';
import { saidSchema } from './said.js';

/** Of both APIs. `user` names the session: at most as long as OpenAI allows. */
export const commonFields = {
  model: z.string().min(1).max(200),
  user: z.string().min(1).max(512).nullish(),
  stream: z.boolean().nullish(),
};

/** POST /v1/chat/completions. What is not named here is refused by refuseOptions or ignored. */
export const chatRequestSchema = z
  .looseObject({
    ...commonFields,
    messages: z.array(saidSchema).min(1),
    stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  })
  .superRefine(refuseOptions);
export type ChatRequest = z.output<typeof chatRequestSchema>;

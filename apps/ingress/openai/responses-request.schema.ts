import { z } from 'zod';
import { messageTextSchema } from '../messages/message-body.schema.js';
import { commonFields } from './chat-request.schema.js';
import { refuseOptions } from './refused-options.js';
import { saidSchema } from './said.js';

const itemSchema = z
  .looseObject({ type: z.literal('message', { error: 'is no item an agent takes; send messages only' }).nullish() })
  .pipe(saidSchema);

/** POST /v1/responses. What is not named here is refused by refuseOptions or ignored. */
export const responsesRequestSchema = z
  .looseObject({
    ...commonFields,
    input: z.preprocess(
      (input) => (typeof input === 'string' ? [{ role: 'user', content: input }] : input),
      z.array(itemSchema).min(1),
    ),
    instructions: messageTextSchema.nullish(),
    previous_response_id: z.string().nullish(),
    metadata: z.record(z.string(), z.string()).nullish(),
  })
  .superRefine(refuseOptions);
export type ResponsesRequest = z.output<typeof responsesRequestSchema>;

import { z } from 'zod';
import { accountAccessSchema } from '../access.schema.js';
import { nameSchema } from '../option-types.js';

/** An address of a platform, http or https. */
export const platformUrl = z.url({ protocol: /^https?$/ });

/** What every account of every channel may say. */
export const accountOptions = {
  agent: nameSchema.optional().describe('The agent that answers what no binding matches; default: defaultAgent'),
  access: accountAccessSchema.optional(),
};

import { z } from 'zod';

const patterns = z.array(z.string().min(1).max(200)).max(1000);

const toolProfileSchema = z.enum(['minimal', 'messaging', 'coding', 'full']);

const rules = {
  profile: toolProfileSchema.optional().describe('The tools of a purpose; nothing else, but for alsoAllow'),
  allow: patterns.optional().describe('Only these, but for alsoAllow'),
  alsoAllow: patterns.default([]).describe('These as well, beside profile and allow of the same place'),
  deny: patterns.default([]).describe('Never these, whatever anybody allows'),
};
const rulesSchema = z.strictObject(rules);

/** What one place of the file says about tools (TO-7, docs/tools.md). */
export const toolPolicy = {
  ...rules,
  byProvider: z
    .record(z.string().regex(/^[a-z0-9-]+(?:\/\S+)?$/), rulesSchema)
    .default({})
    .describe('The same rules for the models of a provider, or for one model: provider or provider/model'),
  bySender: z
    .record(z.string().regex(/^(?:\*|[a-z][a-z0-9-]*:\S+)$/), rulesSchema)
    .default({})
    .describe('The same rules for somebody, <channel>:<sender id>; * is everybody who is not named'),
  subagents: rulesSchema.optional().describe('The same rules for sub-agents'),
};
export const toolPolicySchema = z.strictObject(toolPolicy);
export type ToolPolicyConfig = z.output<typeof toolPolicySchema>;
export type ToolRulesConfig = z.output<typeof rulesSchema>;

/** What `POST /api/tools/invoke` may run (TO-6). */
export const toolInvokeSchema = z.strictObject({
  allow: patterns.default([]).describe('Dangerous tools that may be invoked over HTTP all the same'),
  deny: patterns.default([]).describe('Tools that may not be invoked over HTTP, whoever has them in a chat'),
});

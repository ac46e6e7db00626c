import { z } from 'zod';
import { accessSchema } from './access.schema.js';
import { agentsSchema } from './agents.schema.js';
import { budgetsSchema } from './budgets.schema.js';
import { bindingsSchema } from './bindings.schema.js';
import { channelsSchema } from './channels.schema.js';
import { nameSchema } from './option-types.js';
import { sessionSchema } from './session.schema.js';
import { toolPolicySchema } from './tool-policy.schema.js';

/** The sections that a tenant owns (TN-1). At the top level of the file they are those of the tenant `default`. */
export const tenantSections = {
  agents: agentsSchema,
  defaultAgent: nameSchema
    .optional()
    .describe('The agent for whatever no binding matches; needed where there are several agents'),
  bindings: bindingsSchema,
  session: sessionSchema.prefault({}),
  channels: channelsSchema.prefault({}),
  access: accessSchema.prefault({}),
  budgets: budgetsSchema.prefault({}),
};

/** The tools of the deployment hold for every tenant; those of the tenant `default` have no other place. */
export const tenantSchema = z.strictObject({ ...tenantSections, tools: toolPolicySchema.prefault({}) });
type ParsedTenant = z.output<typeof tenantSchema>;

export type AgentConfig = ParsedTenant['agents'][string] & { model: string };

/** One tenant, with nothing left to default. */
export type TenantConfig = ParsedTenant & { agents: Record<string, AgentConfig> };

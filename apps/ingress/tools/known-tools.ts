import { Injectable } from '@nestjs/common';
import { agentConfig, ConfigSource, tenantConfig, toolRules, type ToolUser } from '#config';
import { Platform } from '#host';
import { decideTool, nativeCatalog, policed, type PolicedTool, type ToolVerdict } from '#tools';

/** A tool, and whether somebody has it. */
export type KnownTool = PolicedTool & { description: string } & ToolVerdict;

type Asker = Omit<ToolUser, 'models' | 'isSubagent'>;

/** The catalog as the runners have built it, before any of them has the tools of Turnpike itself, under the policy of somebody (TO-7). */
@Injectable()
export class KnownTools {
  constructor(
    private readonly config: ConfigSource,
    private readonly platform: Platform,
  ) {}

  /** @param models provider/model of those that may answer */
  async of(asked: Asker, models: readonly string[] = this.modelsOf(asked)): Promise<KnownTool[]> {
    const config = this.config.current;
    const user = { ...asked, models, isSubagent: false };
    const tools = (await this.platform.catalog.published()) ?? nativeCatalog(config.tools).map(described);
    const rules = toolRules(config, user);
    const owners = tenantConfig(config, user.tenant)?.access.owners ?? [];
    const isOneOfThem = user.senders.length > 0 && user.senders.every((sender) => owners.includes(sender));
    return tools.map((tool) => ({ ...tool, ...decideTool(tool, rules, isOneOfThem) }));
  }

  /** Of an agent. */
  modelsOf({ tenant, agent }: Pick<Asker, 'tenant' | 'agent'>): string[] {
    const { model, fallbacks = [] } = agentConfig(this.config.current, tenant, agent) ?? {};
    return [...(model === undefined ? [] : [model]), ...fallbacks];
  }
}

function described(found: Parameters<typeof policed>[0]) {
  return { ...policed(found), description: found.tool.description };
}

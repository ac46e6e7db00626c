import { Injectable } from '@nestjs/common';
import { agentConfig, ConfigSource, ownsAgents, toolRules, type ToolUser } from '#config';
import { Platform } from '#host';
import { decideTool, nativeCatalog, policed, ruleByRule, type PolicedTool, type ToolRule, type ToolVerdict } from '#tools';

/** A tool, and whether somebody has it. */
export type KnownTool = PolicedTool & { description: string } & ToolVerdict;

interface Asker extends Omit<ToolUser, 'senders' | 'models' | 'isSubagent'> {
  /** As the channel names somebody; default: nobody in particular. */
  sender?: string | undefined;
  /** provider/model; default: the agent's own. */
  model?: string | undefined;
  /** `invoke`: called from outside, not by a model. Default: turn. */
  surface?: 'turn' | 'invoke' | undefined;
}

/** The catalog as the runners have built it, before any of them has the tools of Turnpike itself, under the policy of somebody (TO-7). */
@Injectable()
export class KnownTools {
  constructor(
    private readonly config: ConfigSource,
    private readonly platform: Platform,
  ) {}

  async of(asked: Asker): Promise<KnownTool[]> {
    const { places, asker } = this.standingOf(asked);
    return (await this.catalog()).map((tool) => ({ ...tool, ...decideTool(tool, places, asker) }));
  }

  /** The one of that name, if there is one, with every rule that says something of it. */
  async explained(name: string, asked: Asker): Promise<(KnownTool & { rules: readonly ToolRule[] })[]> {
    const { places, asker } = this.standingOf(asked);
    const named = (await this.of(asked)).filter((tool) => tool.name.toLowerCase() === name.toLowerCase());
    return named.map((tool) => ({ ...tool, rules: ruleByRule(tool, places, asker) }));
  }

  /** The one that answers for an agent, unless it fails. */
  modelOf({ tenant, agent }: Pick<Asker, 'tenant' | 'agent'>): string | undefined {
    return agentConfig(this.config.current, tenant, agent)?.model;
  }

  private async catalog(): Promise<(PolicedTool & { description: string })[]> {
    return (await this.platform.catalog.published()) ?? nativeCatalog(this.config.current.tools).map(described);
  }

  private standingOf(asked: Asker) {
    const config = this.config.current;
    const { tenant, channel, sender, model = this.modelOf(asked), surface = 'turn' } = asked;
    const senders = sender === undefined ? [] : [`${channel}:${sender}`];
    const places = toolRules(config, { ...asked, senders, models: model === undefined ? [] : [model], isSubagent: false });
    const isOwner = sender !== undefined && ownsAgents(config, { tenant, channel, sender });
    return { places, asker: { isOwner, ...(surface === 'invoke' && { invoke: config.tools.invoke }) } };
  }
}

function described(found: Parameters<typeof policed>[0]) {
  return { ...policed(found), description: found.tool.description };
}

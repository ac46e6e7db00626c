import type { Tool } from '#agent';
import { tenantConfig, toolRules, type Config } from '#config';
import type { Envelope } from '#contracts';
import { isOwner } from '#routing';
import { decideTool, isInvokable, policed, type InvokeRules, type ToolCatalog, type VisibleTools } from '#tools';

/** Who speaks in a turn, and who may answer. */
interface TurnCircle {
  envelopes: readonly [Envelope, ...Envelope[]];
  /** provider/model of each model that may answer. */
  models: readonly string[];
}

/**
 * The tools of one turn (TO-7): what everybody whose words it answers has, of every model that may answer. Whoever joins
 * later and has less is heard, and from then on the rest is refused: his words may be what a call is made of.
 */
export class TurnTools {
  readonly tools: readonly Tool[];
  private readonly withheld = new Set<string>();

  constructor(
    private readonly config: Config,
    private readonly catalog: ToolCatalog,
    private readonly circle: TurnCircle,
    visible: VisibleTools,
  ) {
    const { places, owner } = this.standingOf(circle.envelopes);
    this.tools = visible.of(catalog, places, owner);
  }

  /** One that may be asked for over HTTP, by its exact name. */
  invokable(name: string, rules: InvokeRules): Tool | undefined {
    const tool = this.tools.find((one) => one.name === name);
    const found = this.catalog.tools.find((one) => one.tool === tool);
    return found && isInvokable(policed(found), rules) ? tool : undefined;
  }

  /** @param more who joined */
  join(more: readonly Envelope[]): void {
    const { places, owner } = this.standingOf(more);
    for (const found of this.catalog.tools)
      if (!decideTool(policed(found), places, owner).visible) this.withheld.add(found.tool.name);
  }

  /** Why a tool of the turn may not be called any more. */
  refusal(tool: string): string | undefined {
    return this.withheld.has(tool) ? 'it is not for everybody who speaks in this turn' : undefined;
  }

  private standingOf(envelopes: readonly Envelope[]) {
    const [{ tenant, agent, target }] = this.circle.envelopes;
    const { channel, account } = target;
    const senders = envelopes.map(({ sender }) => `${channel}:${sender.id}`);
    const owners = tenantConfig(this.config, tenant)?.access.owners ?? [];
    const user = { tenant, agent, channel, account, senders, models: this.circle.models, isSubagent: false };
    const owner = envelopes.every(({ sender }) => isOwner({ owners }, { channel, sender }));
    return { places: toolRules(this.config, user), owner };
  }
}

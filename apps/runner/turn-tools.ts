import type { Tool } from '#agent';
import { ownsAgents, toolRules, type Config } from '#config';
import type { Envelope } from '#contracts';
import { decideTool, policed, type AllowedTools, type ToolCatalog, type VisibleTools } from '#tools';

/**
 * The tools of one turn (TO-7): what everybody whose words it answers has, and of that each model what it may have. Whoever joins
 * later and has less is heard, and from then on the rest is refused: his words may be what a call is made of.
 */
export class TurnTools {
  private catalog: ToolCatalog | undefined;
  private readonly withheld = new Set<string>();

  /** @param envelopes what the turn begins with */
  constructor(
    private readonly config: Config,
    private readonly envelopes: readonly [Envelope, ...Envelope[]],
    private readonly visible: VisibleTools,
  ) {}

  /** Everything that some model of the turn may be shown, in the order of the catalog. Called once, ahead of the others. */
  from(catalog: ToolCatalog): readonly Tool[] {
    this.catalog = catalog;
    return this.ofModel(undefined)?.tools ?? [];
  }

  /** @param model provider/model; undefined: whichever it is */
  allowed(model: string | undefined): (tool: string) => boolean {
    const { names } = this.ofModel(model) ?? {};
    return (tool) => names?.has(tool) ?? false;
  }

  /** One that may be asked for over HTTP, by its exact name. */
  invokable(catalog: ToolCatalog, name: string): Tool | undefined {
    this.catalog = catalog;
    const { places, owner } = this.standingOf(this.envelopes, undefined);
    const found = catalog.tools.find(({ tool }) => tool.name === name);
    const asker = { isOwner: owner, invoke: this.config.tools.invoke };
    return found && decideTool(policed(found), places, asker).visible ? found.tool : undefined;
  }

  /** @param more who joined */
  join(more: readonly Envelope[]): void {
    const { places, owner } = this.standingOf(more, undefined);
    for (const found of this.catalog?.tools ?? [])
      if (!decideTool(policed(found), places, { isOwner: owner }).visible) this.withheld.add(found.tool.name);
  }

  /** Why a tool of the turn may not be called any more. */
  refusal(tool: string): string | undefined {
    return this.withheld.has(tool) ? 'it is not for everybody who speaks in this turn' : undefined;
  }

  private ofModel(model: string | undefined): AllowedTools | undefined {
    const { places, owner } = this.standingOf(this.envelopes, model);
    return this.catalog && this.visible.of({ catalog: this.catalog, config: this.config }, places, owner);
  }

  private standingOf(envelopes: readonly Envelope[], model: string | undefined) {
    const [{ tenant, agent, target }] = this.envelopes;
    const { channel, account } = target;
    const senders = envelopes.map(({ sender }) => `${channel}:${sender.id}`);
    const models = model === undefined ? [] : [model];
    const user = { tenant, agent, channel, account, senders, models, isSubagent: false };
    const owner = envelopes.every(({ sender }) => ownsAgents(this.config, { tenant, channel, sender: sender.id }));
    return { places: toolRules(this.config, user), owner };
  }
}

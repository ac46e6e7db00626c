import type { Tool } from '#agent';
import type { ToolCatalog } from '../catalog/tool-catalog.js';
import { decideTool, type PlacedToolRules } from './decide-tool.js';
import { policed } from './policed-tool.js';

/** Different sets of rules that are remembered for one catalog: more than a fleet has agents and kinds of people. */
const MOST_REMEMBERED = 5_000;

/** What somebody has of a catalog, in its order. Never changed. */
export interface AllowedTools {
  readonly tools: readonly Tool[];
  readonly names: ReadonlySet<string>;
}

/** What the rules are of: in one configuration the path of a place says what stands there. */
interface Versions {
  catalog: ToolCatalog;
  config: object;
}

/** What somebody has of a catalog, decided once for each version of it and each set of rules: turns only look it up. */
export class VisibleTools {
  private readonly decided = new WeakMap<ToolCatalog, { config: object; sets: Map<string, AllowedTools> }>();

  /** @param places of that configuration */
  of({ catalog, config }: Versions, places: readonly PlacedToolRules[], isOwner: boolean): AllowedTools {
    const before = this.decided.get(catalog);
    const known = before?.config === config ? before : { config, sets: new Map<string, AllowedTools>() };
    this.decided.set(catalog, known);
    const key = [isOwner, ...places.map(({ at }) => at)].join('\n');
    const found = known.sets.get(key);
    if (found) return found;
    const tools = catalog.tools.filter((one) => decideTool(policed(one), places, { isOwner }).visible).map(({ tool }) => tool);
    const allowed = { tools, names: new Set(tools.map(({ name }) => name)) };
    if (known.sets.size >= MOST_REMEMBERED) known.sets.clear();
    known.sets.set(key, allowed);
    return allowed;
  }
}

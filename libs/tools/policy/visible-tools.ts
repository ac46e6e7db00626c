import type { Tool } from '#agent';
import type { ToolCatalog } from '../catalog/tool-catalog.js';
import { decideTool, type PlacedToolRules } from './decide-tool.js';
import { policed } from './policed-tool.js';

/** Different sets of rules that are remembered for one catalog: more than a fleet has agents and kinds of people. */
const MOST_REMEMBERED = 5_000;

/** What somebody has of a catalog, decided once for each version of it and each set of rules: turns only look it up. */
export class VisibleTools {
  private readonly decided = new WeakMap<ToolCatalog, Map<string, readonly Tool[]>>();
  private readonly numbers = new WeakMap<object, number>();
  private numbered = 0;

  of(catalog: ToolCatalog, places: readonly PlacedToolRules[], isOwner: boolean): readonly Tool[] {
    const known = this.decided.get(catalog) ?? new Map<string, readonly Tool[]>();
    this.decided.set(catalog, known);
    const key = [isOwner, ...places.map(({ rules }) => this.numberOf(rules))].join();
    const before = known.get(key);
    if (before) return before;
    const visible = catalog.tools.filter((found) => decideTool(policed(found), places, isOwner).visible).map(({ tool }) => tool);
    if (known.size >= MOST_REMEMBERED) known.clear();
    known.set(key, visible);
    return visible;
  }

  /** A reload brings other objects, and so other numbers. */
  private numberOf(rules: object): number {
    const known = this.numbers.get(rules);
    if (known !== undefined) return known;
    this.numbers.set(rules, ++this.numbered);
    return this.numbered;
  }
}

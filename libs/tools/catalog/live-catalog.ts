import type { ToolSource } from './catalog-tool.js';
import { buildCatalog, type ToolCatalog } from './tool-catalog.js';

export interface CatalogListener {
  /** A catalog was built, once for each version. */
  built?(catalog: ToolCatalog): void;
  /** A source knows of a change that no other process can see. */
  changed?(): void;
}

/**
 * The catalog of one process (TO-5). It is built when the version in Redis has moved or a source has changed, before the next
 * turn and never for each message; turns that run keep the catalog they began with.
 */
export class LiveCatalog {
  private catalog: ToolCatalog | undefined;
  /** The highest version this process has read its sources for. */
  private version = 0;
  private builds = 0;
  private refreshing: { version: number; done: Promise<void> } | undefined;
  private readonly stopListening: (() => void)[];

  constructor(
    private readonly sources: readonly ToolSource[],
    private readonly listener: CatalogListener = {},
  ) {
    this.stopListening = sources.map((source) =>
      source.onChange((scope) => {
        this.catalog = undefined;
        if (scope === 'fleet' && !this.refreshing) this.listener.changed?.();
      }),
    );
  }

  /** @param version what `take` found in Redis; 0 = nothing was ever changed */
  async at(version: number): Promise<ToolCatalog> {
    while (version > this.version) await (this.refreshing ?? this.refresh(version)).done;
    return this.current;
  }

  /** As it is known in this process. */
  get current(): ToolCatalog {
    if (this.catalog) return this.catalog;
    this.catalog = buildCatalog(`${this.version}.${++this.builds}`, this.sources);
    this.listener.built?.(this.catalog);
    return this.catalog;
  }

  close(): void {
    for (const stop of this.stopListening) stop();
  }

  private refresh(version: number): { version: number; done: Promise<void> } {
    const read = async (): Promise<void> => {
      await Promise.all(this.sources.map(async (source) => source.refresh?.()));
      this.version = version;
      this.catalog = undefined;
      this.refreshing = undefined;
    };
    return (this.refreshing = { version, done: read() });
  }
}

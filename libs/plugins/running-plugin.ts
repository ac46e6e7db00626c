import { describeError } from '#kernel';
import type { CatalogTool } from '#tools';
import { toolsByManifest } from './lazy-tools.js';
import { loadPlugin } from './load-plugin.js';
import type { PlannedPlugin } from './plan-plugins.js';
import type { PluginServices } from './plugin-services.js';
import type { Registration } from './registration.js';

export type PluginState =
  /** Its code has run, and its contract holds. */
  | { state: 'loaded' }
  /** Its code runs when one of its tools is first called. */
  | { state: 'waiting' }
  | { state: 'failed'; error: string };

/** One enabled plugin of this process, from its load to its end. What goes wrong in it stays in it. */
export class RunningPlugin {
  registration: Registration | undefined;
  private loading: Promise<readonly CatalogTool[]> | undefined;
  private error: string | undefined;
  private hooksOff: (() => void)[] = [];

  constructor(
    readonly plan: PlannedPlugin,
    private readonly services: PluginServices,
    private readonly others: (id: string) => unknown,
    /** Why it must not run. */
    refused: string | undefined,
  ) {
    this.error = refused;
  }

  get id(): string {
    return this.plan.manifest.id;
  }

  get status(): PluginState {
    if (this.error !== undefined) return { state: 'failed', error: this.error };
    return { state: this.registration ? 'loaded' : 'waiting' };
  }

  /** What makes it another plugin than it was. */
  static fingerprint({ root, version, entry, config, manifest }: PlannedPlugin): string {
    return JSON.stringify([root, version, entry, config, manifest]);
  }

  get tools(): readonly CatalogTool[] {
    if (this.error !== undefined) return [];
    if (!this.plan.manifest.activation.onStartup) return toolsByManifest(this.plan, () => this.load());
    return this.registration?.tools ?? [];
  }

  async start(): Promise<void> {
    if (this.error !== undefined) this.services.logger.error({ plugin: this.id }, `Plugin ${this.error}`);
    else if (this.plan.manifest.activation.onStartup || this.services.role === 'routes') await this.load().catch(() => undefined);
  }

  async stop(): Promise<void> {
    for (const off of this.hooksOff) off();
    if (this.services.role === 'routes') return;
    for (const { id, stop } of this.registration?.services ?? [])
      await this.quietly(`stop of its service ${id}`, async () => stop?.());
  }

  /** Once, whoever asks. Throws what is wrong with it, again each time. */
  private load(): Promise<readonly CatalogTool[]> {
    return (this.loading ??= this.activate());
  }

  private async activate(): Promise<readonly CatalogTool[]> {
    const logger = this.services.logger.child({ plugin: this.id });
    try {
      const registration = await loadPlugin(this.plan, this.services, this.others);
      this.registration = registration;
      logger.info({ version: this.plan.version, tools: registration.tools.length }, 'Plugin loaded');
      const { lacking } = registration;
      if (lacking.size > 0)
        logger.warn({ lacking: [...lacking] }, 'Plugin of OpenClaw: what it asked for and Turnpike does not have is left out');
      if (this.services.role === 'routes') return [];
      this.hooksOff = registration.hooks.map((on) => on());
      for (const { id, start } of registration.services) await this.quietly(`start of its service ${id}`, async () => start());
      return registration.tools;
    } catch (error) {
      this.error = describeError(error);
      logger.error({ err: error, root: this.plan.root }, 'Plugin failed: it is left out, everything else goes on');
      throw error;
    }
  }

  private async quietly(what: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.services.logger.error({ plugin: this.id, err: error }, `Plugin: the ${what} failed`);
    }
  }
}

import type { ContextEngine, ModelProvider } from '#agent';
import { describeError, describeThrown, raceSignal } from '#kernel';
import type { CommandCall, PluginRequest, PluginResponse } from '#plugin-sdk';
import type { CatalogTool, ToolSource } from '#tools';
import { memoryTools } from './memory-tools.js';
import { keepBoundaries } from './module-boundary.js';
import { planPlugins, type PluginSettings } from './plan-plugins.js';
import { inPlugin } from './plugin-scope.js';
import type { PluginServices } from './plugin-services.js';
import { RunningPlugin } from './running-plugin.js';

/** `/name`, in a group also `/name@bot`. */
const COMMAND = /^\/([\w-]+)(?:@\w+)?(?:\s+([^]*))?$/;

/** The plugins of one process: loaded, kept in step with their settings, and apart from one another. */
export class PluginHost implements ToolSource {
  readonly kind = 'plugin';
  /** By id; `state` is what makes it another one. */
  private running = new Map<string, { state: string; plugin: RunningPlugin }>();
  /** Why some must not run, by id. */
  refused: ReadonlyMap<string, string> = new Map();
  private readonly listeners = new Set<(scope: 'process' | 'fleet') => void>();
  private reading: Promise<unknown> = Promise.resolve();

  /** @param settings those in force */
  constructor(
    private readonly settings: () => PluginSettings,
    private readonly services: PluginServices,
  ) {}

  tools(): CatalogTool[] {
    const { memory: slot } = this.settings().slots;
    return this.plugins.flatMap((plugin) => {
      const memory = plugin.id === slot ? plugin.registration?.memory : undefined;
      return [...plugin.tools, ...(memory ? memoryTools(plugin.id, memory) : [])];
    });
  }

  get plugins(): RunningPlugin[] {
    return [...this.running.values()].map(({ plugin }) => plugin);
  }

  get providers(): ModelProvider[] {
    return this.plugins.flatMap(({ registration }) => registration?.providers ?? []);
  }

  /** What answers at `/plugins/<plugin><path>`; rejects with the signal's reason when that fires first. */
  route(
    plugin: string,
    method: string,
    path: string,
  ): ((request: PluginRequest, late: AbortSignal) => Promise<PluginResponse>) | undefined {
    const routes = this.running.get(plugin)?.plugin.registration?.routes ?? [];
    const route = routes.find((candidate) => candidate.method === method && candidate.path === path);
    return (
      route &&
      ((request, late) =>
        raceSignal(
          inPlugin(plugin, undefined, async () => route.handler(request)),
          late,
        ))
    );
  }

  /** Answers `/name args` where a plugin has a command of that name; one that fails is told. @returns undefined: it is no command */
  async command(text: string, from: Omit<CommandCall, 'args' | 'storage'>): Promise<string | undefined> {
    const [, name = '', args = ''] = COMMAND.exec(text) ?? [];
    for (const { id, registration } of this.plugins) {
      const command = registration?.commands.get(name.toLowerCase());
      if (!command) continue;
      const call = { ...from, args: args.trim(), storage: this.services.storage(id, from.tenant) };
      try {
        return await inPlugin(id, undefined, async () => command.handler(call));
      } catch (error) {
        const failure = describeThrown(error, call.args);
        this.services.logger.error({ plugin: id, command: command.name, ...failure }, 'Command of a plugin failed');
        return `/${command.name} failed: ${describeError(error)}`;
      }
    }
    return undefined;
  }

  /** Of the plugin that `plugins.slots.contextEngine` names. */
  get contextEngine(): ContextEngine | undefined {
    const { contextEngine: slot } = this.settings().slots;
    return slot === undefined ? undefined : this.running.get(slot)?.plugin.registration?.contextEngine;
  }

  /** Loads what is new, ends what is gone or has changed; what stays as it was is not touched. */
  async refresh(): Promise<void> {
    const read = this.reading.then(() => this.read());
    this.reading = read.catch(() => undefined);
    await read;
  }

  /** The settings have changed: the tools follow as soon as the plugins do. */
  settingsChanged(): void {
    void this.refresh().then(() => {
      for (const listener of this.listeners) listener('process');
    });
  }

  onChange(listener: (scope: 'process' | 'fleet') => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    await this.reading;
    await Promise.all(this.plugins.map((plugin) => plugin.stop()));
    await this.services.guard?.close();
  }

  private async read(): Promise<void> {
    const { plugins, problems } = planPlugins(this.settings());
    for (const { path, message } of problems) this.services.logger.warn({ path }, `Plugin folder: ${message}`);
    for (const { enabled, problems: wrong } of plugins)
      for (const { path, message } of enabled ? wrong : []) this.services.logger.error({ path }, `Plugin left out: ${message}`);
    const wanted = plugins
      .filter(({ enabled, problems: wrong }) => enabled && wrong.length === 0)
      .filter(({ manifest }) => this.services.role !== 'routes' || manifest.contracts.httpRoutes.length > 0)
      .map((plan) => ({ plan, id: plan.manifest.id, root: plan.root, fingerprint: RunningPlugin.fingerprint(plan) }));
    keepBoundaries(plugins);
    const refused = (await this.services.guard?.admit(wanted)) ?? new Map<string, string>();
    const states = new Map(wanted.map(({ id, fingerprint }) => [id, `${fingerprint} ${refused.get(id) ?? ''}`]));
    for (const [id, { state, plugin }] of this.running) {
      if (states.get(id) === state) continue;
      this.running.delete(id);
      await plugin.stop();
    }
    for (const { id, plan } of wanted) {
      if (this.running.has(id)) continue;
      const plugin = new RunningPlugin(plan, this.services, (other) => this.sharedBy(other), refused.get(id));
      await plugin.start();
      this.running.set(id, { state: states.get(id) ?? '', plugin });
    }
    this.refused = refused;
  }

  private sharedBy(id: string): unknown {
    const registration = this.running.get(id)?.plugin.registration;
    if (!registration) throw new Error(`The plugin ${id} is not running`);
    return registration.shared;
  }
}

import type { ModelProvider } from '#agent';
import { TerminalError } from '#kernel';

/** Finds the provider of a `provider/model` name. The model's own name may hold further slashes. */
export class ModelRegistry {
  readonly #providers: ReadonlyMap<string, ModelProvider>;

  constructor(providers: readonly ModelProvider[]) {
    this.#providers = new Map(providers.map((provider) => [provider.id, provider]));
  }

  /** Throws TerminalError('model_not_found') that names the providers there are. */
  resolve(name: string): { provider: ModelProvider; model: string } {
    const [, id = '', model = ''] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
    const provider = this.#providers.get(id);
    if (provider) return { provider, model };
    const known = [...this.#providers.keys()].join(', ') || 'none';
    const hint = id ? `There is no model provider "${id}" for "${name}"` : `"${name}" is no model name: write provider/model`;
    throw new TerminalError('model_not_found', `${hint}. Known providers: ${known}.`);
  }
}

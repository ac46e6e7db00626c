import type { ModelProvider } from '#agent';
import { TerminalError } from '#kernel';

/** A model, and its provider under each of the keys there are. */
export interface FoundModel {
  keys: readonly [ModelProvider, ...ModelProvider[]];
  /** The provider's own name for it. */
  model: string;
}

/** Finds the provider of a `provider/model` name, or of its alias. The model's own name may hold further slashes. */
export class ModelRegistry {
  readonly #providers: ReadonlyMap<string, readonly ModelProvider[]>;

  /** @param providers those with the same id are one, under several keys */
  constructor(
    providers: readonly ModelProvider[],
    private readonly aliases: Readonly<Record<string, string>> = {},
  ) {
    this.#providers = Map.groupBy(providers, ({ id }) => id);
  }

  /** The same providers, and these aliases. */
  under(aliases: Readonly<Record<string, string>>): ModelRegistry {
    return new ModelRegistry([...this.#providers.values()].flat(), aliases);
  }

  /** Throws TerminalError('model_not_found') that names the providers there are. */
  resolve(name: string): FoundModel {
    const real = Object.hasOwn(this.aliases, name) ? (this.aliases[name] ?? name) : name;
    const [, id = '', model = ''] = /^([^/]+)\/(.+)$/.exec(real) ?? [];
    const [key, ...others] = this.#providers.get(id) ?? [];
    if (key) return { keys: [key, ...others], model };
    const known = [...this.#providers.keys()].join(', ') || 'none';
    const hint = id ? `There is no model provider "${id}" for "${name}"` : `"${name}" is no model name: write provider/model`;
    throw new TerminalError('model_not_found', `${hint}. Known providers: ${known}.`);
  }
}

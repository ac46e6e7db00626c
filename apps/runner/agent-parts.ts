import type { ModelProvider, Tool } from '#agent';
import type { Config } from '#config';
import { ModelRegistry, OpenAiProvider, ScriptedProvider } from '#models';
import { toolCatalog } from '#tools';

/** Local servers want no key, the SDK wants some text. */
const KEYLESS = 'no-key-configured';

/** Models and tools beyond the built-in ones. */
export interface AgentExtras {
  providers?: readonly ModelProvider[];
  tools?: readonly Tool[];
}

/** What agents are made of: models and tools. */
export class AgentParts {
  private catalog: { config: Config; tools: readonly Tool[] } | undefined;

  private constructor(
    readonly models: ModelRegistry,
    private readonly added: readonly Tool[],
  ) {}

  static from(config: Config, { providers: added = [], tools = [] }: AgentExtras): AgentParts {
    const { openai } = config.models.providers;
    const providers = [
      ...added,
      new ScriptedProvider(),
      ...(openai ? [new OpenAiProvider({ ...openai, apiKey: openai.apiKey ?? KEYLESS })] : []),
    ];
    return new AgentParts(new ModelRegistry(providers), tools);
  }

  /** Asked at each turn, made anew only when the configuration is another one: a reload changes the next turn (TO-1, G8). */
  tools(config: Config): readonly Tool[] {
    if (this.catalog?.config !== config) this.catalog = { config, tools: toolCatalog(config.tools, this.added) };
    return this.catalog.tools;
  }
}

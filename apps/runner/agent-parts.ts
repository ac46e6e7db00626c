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

  /** Asked at each turn, so that a reload changes the next one (TO-1). */
  tools(config: Config): Tool[] {
    return toolCatalog(config.tools, this.added);
  }
}

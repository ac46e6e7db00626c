import { Injectable } from '@nestjs/common';
import { ConfigSource, tenantConfig } from '#config';
import type { AskedCommand, ControlAnswer, ControlCommand } from './control-command.js';
import { SessionFacts } from './session-facts.js';

/** The models that the configuration names: of the tenant's agents, with an alias, with a price, with a window. */
@Injectable()
export class ModelsCommand implements ControlCommand {
  readonly name = 'models';

  constructor(
    private readonly facts: SessionFacts,
    private readonly config: ConfigSource,
  ) {}

  run({ envelope }: AskedCommand): ControlAnswer {
    const { models } = this.config.current;
    const { agents = {} } = tenantConfig(this.config.current, envelope.tenant) ?? {};
    const { model: standard } = this.facts.agent(envelope);
    const named = [
      ...Object.values(agents).flatMap(({ model, fallbacks }) => [model, ...fallbacks]),
      ...Object.values(models.aliases),
      ...Object.keys(models.prices),
      ...Object.keys(models.windows),
    ];
    const names = [...new Set([standard, ...named])].sort();
    const aliasesOf = (name: string) => Object.keys(models.aliases).filter((alias) => models.aliases[alias] === name);
    const lines = names.map((name) => [name, ...aliasesOf(name)].join(', ') + (name === standard ? ' (default)' : ''));
    return { reply: lines.join('\n'), details: { models: names, aliases: models.aliases, default: standard } };
  }
}

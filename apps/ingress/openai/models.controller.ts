import { Controller, Get, Param } from '@nestjs/common';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { AgentModels } from './agent-models.js';

/** Agents as models (IN-9). */
@Controller('v1/models')
export class ModelsController {
  constructor(private readonly models: AgentModels) {}

  @Get()
  list(@FromCaller() caller: Caller) {
    return { object: 'list', data: this.models.list(caller).map((agent) => model(agent, caller)) };
  }

  @Get(':model')
  one(@FromCaller() caller: Caller, @Param('model') name: string) {
    return model(this.models.find(caller, name), caller);
  }
}

/** Nobody knows when an agent was made: `created` is the same everywhere. */
function model(id: string, { tenant }: Caller) {
  return { id, object: 'model', created: 0, owned_by: tenant };
}

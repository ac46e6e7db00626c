import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import type { TurnTools } from './turn-tools.js';

/** A provider that is shown no tool which the policy keeps from it, also where it stands in for another one (TO-7). */
export class PolicedProvider implements ModelProvider {
  constructor(
    private readonly provider: ModelProvider,
    private readonly tools: Pick<TurnTools, 'allowed'>,
  ) {}

  get id(): string {
    return this.provider.id;
  }

  get account(): string | undefined {
    return this.provider.account;
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const isAllowed = this.tools.allowed(`${this.id}/${request.model}`);
    const tools = request.tools.filter(({ name }) => isAllowed(name));
    return this.provider.stream(tools.length === request.tools.length ? request : { ...request, tools }, signal);
  }
}

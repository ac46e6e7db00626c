import type { BudgetName, ModelHealth } from '#limits';
import type { Candidate, CandidateHealth, Rest } from '#models';
import { describeError } from '#kernel';
import type { Logger } from '#telemetry';

/** What this runner and the others know of candidates. Nothing waits for what it writes; with Redis away everything stays as it was. */
export class SharedHealth implements CandidateHealth {
  constructor(
    private readonly models: ModelHealth,
    private readonly logger: Logger,
  ) {}

  state(candidate: Candidate): 'well' | 'resting' | 'due' {
    return this.models.state(nameFor(candidate));
  }

  async mayProbe(candidate: Candidate): Promise<boolean> {
    try {
      return await this.models.mayProbe(nameFor(candidate));
    } catch (error) {
      this.missed(error);
      return false;
    }
  }

  recovered(candidate: Candidate): void {
    this.models.recovered(nameFor(candidate)).catch((error: unknown) => this.missed(error));
  }

  rest(candidate: Candidate, rest: Rest, retryAfterMs: number | undefined): void {
    const of = rest === 'model' ? 'model' : 'key';
    const written = this.models.rest(nameFor(candidate), { of, long: rest === 'key_long', leastMs: retryAfterMs });
    written.catch((error: unknown) => this.missed(error));
  }

  private missed(error: unknown): void {
    this.logger.debug({ error: describeError(error) }, 'The health of a model could not be shared');
  }
}

function nameFor({ provider, model }: Candidate): BudgetName {
  return { account: provider.account ?? provider.id, model };
}

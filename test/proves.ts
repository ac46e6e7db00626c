import { test, type TestContext, type TestOptions } from 'vitest';
import { requirements, type RequirementId } from './requirements.js';

/**
 * A test that proves requirements: its title begins with their ids, which the reporter collects when it passes.
 * @throws when an id is not in requirements.ts, so a typo can't count as proof
 */
export function proves(
  ids: RequirementId | readonly RequirementId[],
  behaviour: string,
  run: (context: TestContext) => unknown,
  options: TestOptions = {},
): void {
  const cited = [ids].flat();
  for (const id of cited) {
    if (!(id in requirements))
      throw new Error(`${id} is not in test/requirements.ts: mend the id, or add it there with behaviour and source`);
  }
  test(`${cited.join(' ')} ${behaviour}`, options, run);
}

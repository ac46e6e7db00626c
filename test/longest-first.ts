import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Small files that take the longest: by size, as vitest orders files it has not run yet, one of them would run alone at the end. */
const LONGEST = ['torture.spec.ts', 'failure-matrix.spec.ts', 'redis-faults.spec.ts', 'sse-resume.spec.ts'];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

import type { Reporter, TestCase, TestModule, TestRunEndReason, Vitest } from 'vitest/node';
import { citedIds, requirementsReport } from './requirements-report.js';

/**
 * Ends a run with the requirements that passing tests have cited and those nobody has. Fails it when a title cites an id that does
 * not exist, a skipped test gives no reason, or (full runs only) a requirement that counts as built has no passing test.
 */
export default class RequirementsReporter implements Reporter {
  private vitest!: Vitest;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: TestRunEndReason): Promise<void> {
    const namedOnly = this.vitest.config.testNamePattern !== undefined;
    const all = await this.vitest.globTestSpecifications();
    const full = reason !== 'interrupted' && !namedOnly && modules.length === all.length;
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed');
    // A name filter skips every other test: that needs no reason.
    const skipped = namedOnly ? [] : tests.filter((test) => test.result().state === 'skipped');
    const report = requirementsReport({
      cited: tests.flatMap(idsOf),
      proved: passed.flatMap(idsOf),
      skipped: skipped.map((test) => ({ title: `${test.module.relativeModuleId} > ${test.fullName}`, reason: skipReason(test) })),
      full,
    });
    this.vitest.logger.log(report.text);
    if (report.failed) process.exitCode = 1;
  }
}

function idsOf(test: TestCase): string[] {
  return test.fullName.split(' > ').flatMap(citedIds);
}

function skipReason(test: TestCase): string | undefined {
  const result = test.result();
  return result.state === 'skipped' ? result.note : undefined;
}

import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.js';

const conditions = ['turnpike-source', 'node', 'import', 'default'];

export default defineConfig({
  ssr: { resolve: { conditions } },
  resolve: { conditions },
  test: {
    projects: [
      // Beside the source: they leave nothing behind, so that files of one worker share what was imported. Halves their time.
      { extends: true, test: { name: 'unit', include: ['libs/**/*.spec.ts', 'apps/**/*.spec.ts'], isolate: false } },
      { extends: true, test: { name: 'process', include: ['test/**/*.spec.ts'] } },
    ],
    // Plugins of a test are loaded by Node, as an operator's are.
    server: { deps: { external: [/turnpike-plugins-/] } },
    pool: 'forks',
    // Process tests start several Node and Redis processes each; more of them at once only wait for each other.
    maxWorkers: 2,
    // Of the tests of one spec that say they may run beside each other: those mostly wait.
    maxConcurrency: 12,
    sequence: { sequencer: LongestFirst },
    // Hang guards, not expectations.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', './test/requirements-reporter.ts'],
  },
});

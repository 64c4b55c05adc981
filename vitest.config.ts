import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const { VITEST_RESULTS: results } = process.env

/** Tests that take seconds each: they kill processes, start browsers, pack the package or try thousands of texts. */
const slow = [
  'audit/contained-bugs',
  'audit/doubled-keys',
  'audit/exact-numbers',
  'audit/giant-texts',
  'audit/killed',
  'audit/not-http',
  'audit/probes',
  'audit/promised-page',
  'audit/recordings',
  'audit/requests',
  'cli/audit',
  'app/run-maintenance',
  'cli/notify',
  'cli/outputs',
  'cli/package',
  'cli/run-command',
  'cli/serve-demo',
  'cli/slow-policy',
  'cli/upgrade',
  'cli/worker',
  'config/limits',
  'demo/conformance',
  'deploy/image',
  'deploy/memory',
  'deploy/units',
  'history/back-up',
  'history/backends-agree',
  'history/lease-race',
  'history/single-edits',
  'history/upgrades',
  'secrets/random-text',
  'oracle/oracle',
  'report/hostile',
  'report/html-in-browser',
  'worker/year',
].map((name) => `test/${name}.test.ts`)

for (const file of slow) {
  if (!existsSync(join(import.meta.dirname, file)))
    throw new Error(`vitest.config.ts lists ${file}, which does not exist`)
}

/** Tests that change their process or start others. */
const isolated = ['test/*.test.ts', 'test/{app,baseline,cli,deploy,oracle,worker}/**/*.test.ts']

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // `.ci/run` counts from a file; people read the lines.
    reporters: results === undefined ? ['default'] : ['default', ['json', { outputFile: results }]],
    projects: [
      {
        extends: true,
        // The tests leave nothing behind in their process: a process for each file would take longer than the tests.
        test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: [...isolated, ...slow], isolate: false },
      },
      { extends: true, test: { name: 'fast-isolated', include: isolated, exclude: slow } },
      { extends: true, test: { name: 'slow', include: slow } },
    ],
  },
})

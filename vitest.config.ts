import { existsSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const { VITEST_RESULTS: results } = process.env

/** Tests that take seconds each: they kill processes, start browsers, pack the package or try thousands of texts. */
export const slow = [
  'app/run-maintenance',
  'audit/contained-bugs',
  'audit/discovery-faults',
  'audit/doubled-keys',
  'audit/drift-worlds',
  'audit/exact-numbers',
  'audit/filter-faults',
  'audit/giant-texts',
  'audit/killed',
  'audit/not-http',
  'audit/probes',
  'audit/probes-not-run',
  'audit/probes-of-policy',
  'audit/promised-page',
  'audit/recordings',
  'audit/requests',
  'audit/through-json',
  'audit/unseen-fleets',
  'cli/audit',
  'cli/baseline',
  'cli/completion-shells',
  'cli/drift-story',
  'cli/history',
  'cli/init',
  'cli/init-refused',
  'cli/init-terminal',
  'cli/notify',
  'cli/outputs',
  'cli/package',
  'cli/postgres',
  'cli/postgres-worker',
  'cli/run-command',
  'cli/serve-demo',
  'cli/slow-policy',
  'cli/worker',
  'config/limits',
  'demo/conformance',
  'deploy/action',
  'deploy/image',
  'deploy/memory',
  'deploy/shown-answers',
  'deploy/units',
  'history/back-up',
  'history/backends-agree',
  'history/lease-race',
  'history/move/copy-history',
  'history/move/move-to-postgres',
  'history/move/table-rows',
  'history/move/verify-database',
  'history/postgres/cut-commands',
  'history/postgres/cut-commit',
  'history/postgres/faults',
  'history/postgres/postgres-history',
  'history/postgres/reader',
  'history/postgres/shared-drafts',
  'history/postgres/takeovers',
  'history/single-edits',
  'oracle/oracle',
  'pages/in-browser',
  'pages/login-in-browser',
  'policy/reading-in-steps',
  'pool/audit-by-pool',
  'pool/cut-commits',
  'pool/jobs',
  'pool/killed-workers',
  'pool/full-wal',
  'pool/lost-server',
  'pool/shared-gates',
  'pool/silent-server',
  'pool/traces',
  'pool/watch-unclaimed',
  'pool/workers',
  'replay/replay',
  'report/hostile',
  'report/html-in-browser',
  'report/sarif-limits',
  'rules/new-rule',
  'scripts/new-parts',
  'secrets/bigrams',
  'secrets/random-text',
  'service/large-page',
  'serving/attacks',
  'telemetry/telemetry',
  'worker/year',
].map((name) => `test/${name}.test.ts`)

for (const file of slow) {
  if (!existsSync(join(import.meta.dirname, file)))
    throw new Error(`vitest.config.ts lists ${file}, which does not exist`)
}

/** Fast tests do not wait for a disk: their histories are in memory where the system offers a file system there. */
const memory = '/dev/shm'
export const env = existsSync(memory) && freeBytes(memory) > 1e9 ? { TMPDIR: memory } : {}

export default defineConfig({
  test: {
    globalSetup: 'test/postgres-server.ts',
    // Many tests wait for other processes: on a small machine, more workers than cores use that time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // `.ci/run` counts from a file; people read the lines.
    reporters: results === undefined ? ['default'] : ['default', ['json', { outputFile: results }]],
    projects: [
      {
        extends: true,
        // The tests leave nothing behind in their process: a process for each file would take longer than the tests.
        test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: slow, isolate: false, env },
      },
      { extends: true, test: { name: 'slow', include: slow } },
    ],
  },
})

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

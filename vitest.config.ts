import { existsSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const { VITEST_RESULTS: results } = process.env

/** Tests that take a second or more each, and files that take several, within a process that they share. */
export const gate = [
  'app/run-maintenance',
  'audit/accepted-values',
  'audit/baselines',
  'audit/causes',
  'audit/change-windows',
  'audit/contained-bugs',
  'audit/contradictions',
  'audit/discovery',
  'audit/drift',
  'audit/drift-rules',
  'audit/due',
  'audit/failure-causes',
  'audit/filter-rows',
  'audit/incomplete-walk',
  'audit/malformed-fields',
  'audit/mass-removal',
  'audit/probes',
  'audit/release',
  'audit/unlisted-sources',
  'audit/unseen-fields',
  'audit/violations',
  'audit/waivers',
  'cli/acting',
  'cli/answers',
  'cli/baseline',
  'cli/completion',
  'cli/compliance',
  'cli/mcp',
  'cli/mistakes',
  'cli/notify',
  'cli/outputs',
  'cli/run-command',
  'cli/serve',
  'cli/start',
  'cli/times',
  'cli/worker',
  'deploy/comment',
  'deploy/manifests',
  'deploy/release',
  'doctor/services',
  'history/back-up',
  'history/move/there-and-back',
  'history/postgres/ask-database',
  'history/postgres/connect',
  'history/postgres/examine-database',
  'history/postgres/migrate',
  'history/postgres/plans',
  'history/sqlite-file',
  'history/sqlite-history',
  'init/plan-files',
  'model/differing-members',
  'notify/compose-incidents',
  'notify/compose-messages',
  'pages/commands',
  'pages/feed',
  'pages/large-site',
  'pages/layout-in-browser',
  'pages/links',
  'pages/mcp',
  'pages/on-call',
  'pages/paging',
  'pages/scope',
  'pool/adopt',
  'pool/ticks',
  'questions/reading',
  'repair/cause',
  'repair/filter-rows',
  'repair/filter-rows-audited',
  'repair/put-back',
  'repair/status',
  'replay/replay',
  'service/watch-reach',
  'serving/answer-in-thread',
  'serving/bound-answers',
].map((name) => `test/${name}.test.ts`)

/** Tests that need a process of their own: they kill others, start browsers or servers, or pack the package. */
export const alone = [
  'audit/doubled-keys',
  'audit/exact-numbers',
  'audit/killed',
  'audit/promised-page',
  'audit/recordings',
  'audit/requests',
  'audit/through-json',
  'cli/audit',
  'cli/completion-shells',
  'cli/history',
  'cli/init',
  'cli/package',
  'cli/postgres',
  'cli/slow-policy',
  'demo/conformance',
  'deploy/action',
  'deploy/memory',
  'deploy/units',
  'history/lease-race',
  'history/move/copy-history',
  'history/move/move-to-postgres',
  'history/move/table-rows',
  'history/postgres/cut-commits',
  'history/postgres/faults',
  'history/postgres/postgres-history',
  'history/postgres/reader',
  'history/postgres/shared-drafts',
  'history/postgres/takeovers',
  'pages/in-browser',
  'pages/login-in-browser',
  'pool/audit-by-pool',
  'pool/cut-commits',
  'pool/jobs',
  'pool/killed-workers',
  'pool/traces',
  'report/html-in-browser',
  'report/sarif-limits',
  'rules/new-rule',
  'scripts/new-parts',
  'serving/attacks',
].map((name) => `test/${name}.test.ts`)

/** Tests of many worlds, a year, an image, or thousands of texts: before a release. */
export const long = [
  'audit/discovery-faults',
  'audit/drift-worlds',
  'audit/filter-faults',
  'audit/giant-texts',
  'audit/item-memory',
  'audit/not-http',
  'audit/unseen-fleets',
  'cli/drift-story',
  'cli/init-refused',
  'cli/init-terminal',
  'config/limits',
  'deploy/image',
  'deploy/shown-answers',
  'history/backends-agree',
  'history/move/verify-database',
  'history/single-edits',
  'inventory/made-normal-form',
  'notify/tickets-killed',
  'oracle/oracle',
  'policy/reading-in-steps',
  'pool/lost-server',
  'pool/shared-gates',
  'pool/silent-server',
  'pool/watch-unclaimed',
  'pool/workers',
  'repair/hostile-texts',
  'report/hostile',
  'secrets/bigrams',
  'secrets/random-text',
  'service/large-page',
  'telemetry/telemetry',
  'worker/year',
].map((name) => `test/${name}.test.ts`)

for (const file of [...gate, ...alone, ...long]) {
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
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...gate, ...alone, ...long],
          isolate: false,
          env,
        },
      },
      { extends: true, test: { name: 'gate', include: gate, isolate: false, env } },
      { extends: true, test: { name: 'alone', include: alone } },
      // What takes a quarter of a minute on a quiet machine takes minutes on a busy one.
      { extends: true, test: { name: 'long', include: long, testTimeout: 300_000, hookTimeout: 300_000 } },
    ],
  },
})

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

import { defineConfig } from 'vitest/config'
import { env, slow } from './vitest.config.ts'

/** Slow tests that run code which no fast test reaches, within their process: others start processes or try volumes. */
const reaching = [
  'app/run-maintenance',
  'audit/contained-bugs',
  'audit/probes',
  'audit/probes-not-run',
  'audit/probes-of-policy',
  'cli/baseline',
  'cli/notify',
  'cli/outputs',
  'cli/run-command',
  'cli/serve-demo',
  'cli/worker',
  'history/back-up',
  'replay/replay',
].map((name) => `test/${name}.test.ts`)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: slow.filter((file) => !reaching.includes(file)),
    testTimeout: 120_000,
    hookTimeout: 120_000,
    isolate: false,
    env,
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'json-summary'] },
  },
})

import { defineConfig } from 'vitest/config'
import { coverageFloors } from './test/coverage-floors.ts'
import { alone, env, long } from './vitest.config.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...alone, ...long],
    globalSetup: 'test/postgres-server.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    isolate: false,
    env,
    coverage: {
      include: ['src/**/*.ts'],
      // One test that fails does not hide the figures of a quarter of an hour.
      reportOnFailure: true,
      reporter: ['text-summary', 'json-summary'],
      thresholds: Object.fromEntries(
        Object.entries(coverageFloors).map(([folder, [lines, branches]]) => [`src/${folder}/**`, { lines, branches }]),
      ),
    },
  },
})

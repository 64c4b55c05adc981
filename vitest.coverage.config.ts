import { defineConfig } from 'vitest/config'
import { coverageFloors, runElsewhere } from './test/coverage-floors.ts'
import { alone, env, long } from './vitest.config.ts'

export default defineConfig({
  test: {
    globalSetup: 'test/postgres-server.ts',
    setupFiles: 'test/check-answers.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: [...alone, ...long], isolate: false, env },
      },
      { extends: true, test: { name: 'alone', include: alone } },
    ],
    coverage: {
      include: ['src/**/*.ts'],
      exclude: [...runElsewhere],
      // One test that fails does not hide the figures of a quarter of an hour.
      reportOnFailure: true,
      reporter: ['text-summary', 'json-summary'],
      thresholds: Object.fromEntries(
        Object.entries(coverageFloors).map(([folder, [lines, branches]]) => [`src/${folder}/**`, { lines, branches }]),
      ),
    },
  },
})

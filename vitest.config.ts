import { defineConfig } from 'vitest/config'

const { VITEST_RESULTS: results } = process.env

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // `.ci/run` counts from a file; people read the lines.
    reporters: results === undefined ? ['default'] : ['default', ['json', { outputFile: results }]],
  },
})

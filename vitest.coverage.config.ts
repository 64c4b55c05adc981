import { defineConfig } from 'vitest/config'
import { alone, env, long } from './vitest.config.ts'

/**
 * Least percentage of lines and branches of a folder, as measured, rounded down. Raise them; never lower one. What a
 * process of its own runs is not counted: a query, the loops of the worker, functions of the simulated service.
 */
const floors: Readonly<Record<string, readonly [lines: number, branches: number]>> = {
  app: [77, 66],
  attestation: [100, 100],
  audit: [98, 92],
  baseline: [93, 61],
  cli: [89, 77],
  compliance: [99, 98],
  config: [98, 94],
  demo: [91, 77],
  history: [98, 90],
  inventory: [98, 92],
  model: [97, 97],
  notify: [96, 88],
  policy: [99, 92],
  questions: [96, 79],
  replay: [98, 88],
  report: [99, 90],
  rules: [99, 97],
  secrets: [97, 92],
  service: [90, 84],
  text: [100, 89],
  worker: [86, 76],
  yaml: [97, 87],
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...alone, ...long],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    isolate: false,
    env,
    coverage: {
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: Object.fromEntries(
        Object.entries(floors).map(([folder, [lines, branches]]) => [`src/${folder}/**`, { lines, branches }]),
      ),
    },
  },
})

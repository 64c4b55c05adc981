/** What only processes of their own run, which no coverage counts: tests start them, and read what they answer. */
export const runElsewhere: readonly string[] = [
  'src/app/shared/**',
  'src/app/worker-notifications.ts',
  'src/cli/{main,mcp,pages-thread,serve,start,worker}.ts',
  'src/history/sqlite/query-process.ts',
  'src/app/pool/**',
]

/**
 * Least percentage of lines and branches of a folder without those, as measured, rounded down; where tests draw at
 * random, of the least that was measured. Raise them; never lower one.
 */
export const coverageFloors: Readonly<Record<string, readonly [lines: number, branches: number]>> = {
  app: [94, 85],
  audit: [99, 94],
  cli: [94, 85],
  config: [99, 94],
  demo: [94, 86],
  gateway: [99, 94],
  history: [98, 91],
  model: [99, 93],
  notify: [98, 92],
  pages: [99, 91],
  policy: [99, 92],
  questions: [98, 89],
  report: [99, 94],
  rules: [100, 97],
}

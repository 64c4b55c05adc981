import { defineConfig } from 'vitest/config'

/** What Stryker runs against each mutant: the tables beside the deciders, without any service or database. */
export default defineConfig({ test: { include: ['test/report/verdict.test.ts'] } })

import type { TestProject } from 'vitest/node'
import { makeCluster } from './start-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a server on which tests make databases; undefined where no PostgreSQL is installed. */
    readonly postgres: string | undefined
  }
}

/**
 * Starts one PostgreSQL server for all tests. `HOOKDRIFT_TEST_POSTGRES` names another one. The tests begin at once, and
 * those that need it wait until it is ready.
 */
export function setup(project: TestProject): (() => Promise<void>) | undefined {
  const given = process.env.HOOKDRIFT_TEST_POSTGRES
  const cluster = given === undefined ? makeCluster() : undefined
  if (cluster === undefined) {
    if (given === undefined && process.env.CI !== undefined)
      throw new Error('PostgreSQL is not installed: apt-get install postgresql')
    project.provide('postgres', given)
    return undefined
  }
  const { user, directory } = cluster
  project.provide('postgres', `postgres://${user}@localhost/postgres?host=${encodeURIComponent(directory)}`)
  return () => cluster.remove()
}

import { setTimeout as sleep } from 'node:timers/promises'
import { installJobs } from '../../src/app/pool/jobs.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import { upgradeSchema } from '../../src/history/postgres/migrate.ts'
import { type PostgresServer, readPostgresUrl } from '../../src/history/postgres-server.ts'
import { makeCluster } from '../start-postgres.ts'

export interface ProvingDatabase {
  readonly url: string
  readonly server: PostgresServer
  remove(): Promise<void>
}

/**
 * A server of its own, or the one that HOOKDRIFT_TEST_POSTGRES names, and databases on it with an empty history that
 * workers may share.
 */
export async function openDatabases({ settings = [] }: { readonly settings?: readonly string[] } = {}) {
  const given = process.env.HOOKDRIFT_TEST_POSTGRES
  const cluster = given === undefined ? makeCluster({ settings: ['max_connections=1000', ...settings] }) : undefined
  if (given === undefined && cluster === undefined) throw new Error('PostgreSQL is not installed')
  const url =
    given ?? `postgres://${cluster?.user}@localhost/postgres?host=${encodeURIComponent(cluster?.directory ?? '')}`
  const administrator = connect(readPostgresUrl(url), { connections: 1 })
  await untilReady()
  let template: Promise<string> | undefined
  let made = 0

  return {
    /** Of the server. */
    url,
    /** Process of the server; undefined where it is another machine's or was there before. */
    pid: () => cluster?.pid(),
    /** `like`: a copy of this database, with which no one may be connected. */
    async make({ empty = false, like }: { empty?: boolean; like?: ProvingDatabase } = {}) {
      made += 1
      const name = `prove_${process.pid}_${made}`
      template ??= empty || like !== undefined ? undefined : makeTemplate()
      const from = empty ? 'template0' : (like?.server.database ?? (await template))
      await administrator.foreign(`CREATE DATABASE ${name} TEMPLATE ${from}`)
      const remove = async () => void (await administrator.foreign(`DROP DATABASE ${name} WITH (FORCE)`))
      return { url: urlOf(name), server: readPostgresUrl(urlOf(name)), remove }
    },
    async [Symbol.asyncDispose]() {
      if (template !== undefined) await administrator.foreign(`DROP DATABASE ${await template} WITH (FORCE)`)
      await administrator.close()
      await cluster?.remove()
    },
  }

  /** A database with an empty history that workers may share, to copy. */
  async function makeTemplate() {
    const name = `prove_${process.pid}_template`
    await administrator.foreign(`CREATE DATABASE ${name} TEMPLATE template0`)
    const db = connect(readPostgresUrl(urlOf(name)))
    await upgradeSchema(db, '2026-01-01T00:00:00.000Z')
    await installJobs(db)
    await db.close()
    return name
  }

  function urlOf(database: string) {
    const own = new URL(url)
    own.pathname = `/${database}`
    return own.href
  }

  /** The server may still start. */
  async function untilReady() {
    for (let tries = 1; ; tries++) {
      try {
        return void (await administrator.value('SELECT 1'))
      } catch (error) {
        if (tries === 100) throw error
        await sleep(200)
      }
    }
  }
}

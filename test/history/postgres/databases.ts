import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type QueryResult } from 'pg'
import { afterEach, beforeEach, inject } from 'vitest'
import { connect, type PostgresDatabase } from '../../../src/history/postgres/connect.ts'
import { upgradeSchema } from '../../../src/history/postgres/migrate.ts'
import { type PostgresServer, readPostgresUrl } from '../../../src/history/postgres-server.ts'

const server = inject('postgres')

/** Tests that need a server are skipped without one; CI has one. */
export const hasPostgres = server !== undefined

export interface TestDatabase {
  readonly url: string
  readonly server: PostgresServer
  remove(): Promise<void>
}

let made = 0
let template: Promise<string> | undefined
let strategy: Promise<string> | undefined

interface Contents {
  /** Without a history. */
  readonly empty?: boolean
  /** Like this database. */
  readonly template?: string | undefined
}

/** A database of its own, with an empty history unless specified. */
export async function makeDatabase(contents: Contents = {}): Promise<TestDatabase> {
  const from = contents.empty ? 'template0' : (contents.template ?? (await emptyHistory()))
  made += 1
  const name = `test_${process.pid}_${made}`
  await administrate(`CREATE DATABASE ${name} TEMPLATE ${from} ${await howToCopy()}`)
  const url = urlOf(name)
  return {
    url,
    server: readPostgresUrl(url),
    async remove() {
      await administrate(`DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** A database of its own for each test of the describe block around it, and a connection to it. */
export function openDatabaseFixture(contents?: Contents) {
  const fixture = {} as { place: TestDatabase; db: PostgresDatabase }
  beforeEach(async () => {
    fixture.place = await makeDatabase(contents)
    fixture.db = connect(fixture.place.server)
  })
  afterEach(async () => {
    await fixture.db.close()
    await fixture.place.remove()
  })
  return fixture
}

/** Copying files takes half as long as logging each page; PostgreSQL 14 does nothing else, and has no word for it. */
function howToCopy(): Promise<string> {
  strategy ??= administrate('SHOW server_version_num').then(({ rows }) =>
    Number(rows[0]?.server_version_num) < 150_000 ? '' : 'STRATEGY file_copy',
  )
  return strategy
}

function emptyHistory() {
  template ??= makeTemplate()
  return template
}

async function makeTemplate() {
  const name = `template_${process.pid}`
  await administrate(`CREATE DATABASE ${name} TEMPLATE template0`)
  const db = connect(readPostgresUrl(urlOf(name)))
  await upgradeSchema(db, '2026-01-01T00:00:00.000Z')
  await db.close()
  return name
}

function urlOf(database: string) {
  const url = new URL(server ?? 'postgres://none')
  url.pathname = `/${database}`
  return url.href
}

/** Executes a statement on the server. Waits until it accepts connections. */
export async function administrate(sql: string): Promise<QueryResult> {
  const { host = '', port, user = '', password, database = '' } = readPostgresUrl(server ?? 'postgres://none')
  for (let attempt = 1; ; attempt += 1) {
    const client = new Client({ host, port, user, password, database })
    try {
      await client.connect()
    } catch (error) {
      if (attempt === 300) throw error
      await sleep(100)
      continue
    }
    try {
      return await client.query(sql)
    } finally {
      await client.end()
    }
  }
}

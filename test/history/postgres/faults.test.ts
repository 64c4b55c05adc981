import { spawnSync } from 'node:child_process'
import { appendFileSync, chownSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../../src/history/postgres/connect.ts'
import { ensureSchema } from '../../../src/history/postgres/migrate.ts'
import { readPostgresUrl } from '../../../src/history/postgres-server.ts'
import { AuditError } from '../../../src/model/errors.ts'
import { type Cluster, makeCluster } from '../../start-postgres.ts'
import { hasPostgres } from './databases.ts'

const password = 'not-a-real-password'

/** What is wrong, the URL of the history, the message, the advice, and what is asked there. */
type FaultStory = [name: string, at: () => string, message: RegExp, advice: RegExp, sql?: string]

/** Those that may pass by themselves. */
const passing = ['no server', 'no server under a name', 'no such host', 'a replica', 'a full disk']

describe.skipIf(!hasPostgres)('a PostgreSQL server that cannot be used as configured', () => {
  let port: number
  let cluster: Cluster
  const url = (path = 'audits', user = `auditor:${password}`, at = `127.0.0.1:${port}`) =>
    `postgres://${user}@${at}/${path}`

  beforeAll(async () => {
    port = await freePort()
    const made = makeCluster({ settings: ['listen_addresses=127.0.0.1', `port=${port}`], prepare: layOut })
    if (made === undefined) throw new Error('PostgreSQL is not installed')
    cluster = made
    const sql = [
      `CREATE ROLE auditor LOGIN PASSWORD '${password}'`,
      `CREATE ROLE guest LOGIN PASSWORD '${password}'`,
      `CREATE ROLE replica LOGIN PASSWORD '${password}'`,
      'ALTER ROLE replica SET default_transaction_read_only = on',
      'CREATE DATABASE audits OWNER auditor',
      "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0 OWNER auditor",
    ]
    for (const statement of sql) await administrate(statement)
  })
  afterAll(() => cluster?.remove())

  /** As the superuser, on the socket; waits until the server is up. */
  async function administrate(sql: string): Promise<void> {
    const server = readPostgresUrl(`postgres://${cluster.user}@localhost:${port}/postgres?host=${cluster.directory}`)
    for (let attempt = 1; ; attempt += 1) {
      const db = connect(server, { connections: 1 })
      try {
        await db.run(sql)
        return
      } catch (error) {
        if (attempt === 300 || !(error instanceof AuditError) || !error.isPassing) throw error
        await sleep(100)
      } finally {
        await db.close()
      }
    }
  }

  async function errorAt(text: string, sql = 'SELECT 1'): Promise<unknown> {
    try {
      const db = connect(readPostgresUrl(text), { connections: 1 })
      await db.run(sql).finally(() => db.close())
      return 'no error'
    } catch (error) {
      return error
    }
  }

  const raise = (state: string) => `DO $$ BEGIN RAISE EXCEPTION 'no more' USING ERRCODE = '${state}'; END $$`

  const stories: readonly FaultStory[] = [
    ['no server', () => url('audits', 'auditor', '127.0.0.1:1'), /ECONNREFUSED/, /that the server runs/],
    ['no server under a name', () => url('a', 'b', 'localhost:1'), /ECONNREFUSED/, /that the server runs/],
    ['no such host', () => url('a', 'b', 'no-such-host.invalid'), /ENOTFOUND|EAI_AGAIN/, /can be reached/],
    ['a wrong password', () => url('audits', 'auditor:another'), /password authentication failed/, /PGPASSWORD/],
    ['no password', () => url('audits', 'auditor'), /it asks for a password, and none is given/, /PGPASSWORD/],
    [
      'an unknown user',
      () => url('audits', `stranger:${password}`),
      /password authentication failed/,
      /check the user/,
    ],
    ['an unknown database', () => url('other'), /database "other" does not exist/, /create the database/],
    ['no rights', () => url('audits', `guest:${password}`), /permission denied/, /many-machines/, 'CREATE SCHEMA s'],
    ['a replica', () => url('audits', `replica:${password}`), /read-only transaction/, /primary/, 'CREATE TABLE t ()'],
    ['a full disk', () => url(), /no more/, /make room on the server/, raise('53100')],
    [
      'a missing table',
      () => url(),
      /relation "there_is_none" does not exist/,
      /hookdrift verify/,
      'SELECT 1 FROM there_is_none',
    ],
    [
      'a missing column',
      () => url(),
      /column "there_is_none" does not exist/,
      /hookdrift verify/,
      'SELECT there_is_none FROM pg_class',
    ],
    ['too long a statement', () => url(), /no more/, /statement_timeout/, raise('57014')],
    ['an unknown authority', () => url('audits?sslmode=verify-ca'), /self.signed certificate/, /sslrootcert=FILE/],
    [
      'a certificate of another name',
      () => url(`audits?sslmode=verify-full&sslrootcert=${certificate()}`),
      /does not match certificate/,
      /verify-ca/,
    ],
    [
      'no file of the authority',
      () => url('audits?sslmode=verify-ca&sslrootcert=/nowhere/ca'),
      /cannot read \/nowhere\/ca/,
      /sslrootcert/,
    ],
    ['another encoding', () => url('latin'), /no equivalent in encoding "LATIN1"/, /ENCODING UTF8/, "SELECT 'я'"],
  ]

  it.each<FaultStory>(stories)('is described: %s', async (name, at, message, advice, sql) => {
    const error = await errorAt(at(), sql)
    expect(error).toBeInstanceOf(AuditError)
    const described = { message: expect.stringMatching(message), advice: expect.stringMatching(advice) }
    expect(error).toMatchObject({ exitCode: 4, ...described, isPassing: passing.includes(name) })
    expect(String(error)).not.toContain(password)
  })

  it('accepts a certificate of the given authority', async () => {
    expect(await errorAt(url(`audits?sslmode=verify-ca&sslrootcert=${certificate()}`))).toBe('no error')
    expect(await errorAt(url('audits?sslmode=require'))).toBe('no error')
  })

  it('refuses to go without TLS where it is asked for', async () => {
    await administrate('ALTER SYSTEM SET ssl = off')
    await administrate('SELECT pg_reload_conf()')
    await sleep(200)
    expect(await errorAt(url('audits?sslmode=require'))).toMatchObject({
      message: expect.stringMatching(/does not support SSL/),
      advice: 'turn TLS on there, or end the URL with `?sslmode=disable`',
    })
  })

  it('is used again after a restart, on the same pool', async () => {
    const db = connect(readPostgresUrl(url()), { connections: 2 })
    try {
      await ensureSchema(db, '2026-01-01T00:00:00.000Z')
      await cluster.stop()
      await expect(db.value('SELECT 1')).rejects.toMatchObject({ exitCode: 4, isPassing: true })
      await cluster.start()
      await administrate('SELECT 1')
      expect(await db.value('SELECT count(*) FROM hookdrift.run')).toBe(0)
    } finally {
      await db.close()
    }
  })

  function certificate(): string {
    return join(cluster.directory, 'data/server.crt')
  }
})

/** A key and a certificate of no authority for another name, and passwords for all that comes over TCP. */
function layOut(data: string, { uid, gid }: { readonly uid?: number; readonly gid?: number }): void {
  const [key, certificate] = [join(data, 'server.key'), join(data, 'server.crt')]
  const subject = ['-subj', '/CN=db.example.com', '-addext', 'subjectAltName=DNS:db.example.com', '-days', '2']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-x509']
  const made = spawnSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate])
  if (made.status !== 0) throw new Error(`openssl ended with ${made.status}: ${made.stderr}`)
  // Of the file, because a test turns it off.
  appendFileSync(join(data, 'postgresql.conf'), 'ssl = on\n')
  writeFileSync(join(data, 'pg_hba.conf'), 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n')
  if (uid !== undefined && gid !== undefined) for (const file of [key, certificate]) chownSync(file, uid, gid)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject()))
    })
  })
}

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

interface FaultStory {
  readonly name: string
  /** The URL of the history. */
  readonly at: () => string
  /** What is asked there. */
  readonly sql?: string
  readonly message: RegExp
  readonly advice: RegExp
  readonly isPassing?: true
}

describe.skipIf(!hasPostgres)('a PostgreSQL server that cannot be used as configured', () => {
  let port: number
  let cluster: Cluster
  const url = (path = 'audits', user = `auditor:${password}`, at = `127.0.0.1:${port}`) =>
    `postgres://${user}@${at}/${path}`

  beforeAll(async () => {
    port = await freePort()
    const made = makeCluster({
      settings: ['listen_addresses=127.0.0.1', `port=${port}`],
      prepare: layOut,
    })
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
    {
      name: 'no server',
      at: () => url('audits', 'auditor', '127.0.0.1:1'),
      message: /ECONNREFUSED/,
      advice: /that the server runs/,
      isPassing: true,
    },
    {
      name: 'no server under a name',
      at: () => url('a', 'b', 'localhost:1'),
      message: /ECONNREFUSED/,
      advice: /that the server runs/,
      isPassing: true,
    },
    {
      name: 'no such host',
      at: () => url('a', 'b', 'no-such-host.invalid'),
      message: /ENOTFOUND|EAI_AGAIN/,
      advice: /can be reached/,
      isPassing: true,
    },
    {
      name: 'a wrong password',
      at: () => url('audits', 'auditor:another'),
      message: /password authentication failed/,
      advice: /PGPASSWORD/,
    },
    {
      name: 'no password',
      at: () => url('audits', 'auditor'),
      message: /it asks for a password, and none is given/,
      advice: /PGPASSWORD/,
    },
    {
      name: 'an unknown user',
      at: () => url('audits', `stranger:${password}`),
      message: /password authentication failed/,
      advice: /check the user/,
    },
    {
      name: 'an unknown database',
      at: () => url('other'),
      message: /database "other" does not exist/,
      advice: /create the database/,
    },
    {
      name: 'no rights',
      at: () => url('audits', `guest:${password}`),
      sql: 'CREATE SCHEMA s',
      message: /permission denied/,
      advice: /many-machines/,
    },
    {
      name: 'a replica',
      at: () => url('audits', `replica:${password}`),
      sql: 'CREATE TABLE t ()',
      message: /read-only transaction/,
      advice: /primary/,
      isPassing: true,
    },
    {
      name: 'a full disk',
      at: () => url(),
      sql: raise('53100'),
      message: /no more/,
      advice: /make room on the server/,
      isPassing: true,
    },
    {
      name: 'a missing table',
      at: () => url(),
      sql: 'SELECT 1 FROM there_is_none',
      message: /relation "there_is_none" does not exist/,
      advice: /hookdrift verify/,
    },
    {
      name: 'a missing column',
      at: () => url(),
      sql: 'SELECT there_is_none FROM pg_class',
      message: /column "there_is_none" does not exist/,
      advice: /hookdrift verify/,
    },
    {
      name: 'too long a statement',
      at: () => url(),
      sql: raise('57014'),
      message: /no more/,
      advice: /statement_timeout/,
    },
    {
      name: 'an unknown authority',
      at: () => url('audits?sslmode=verify-ca'),
      message: /self.signed certificate/,
      advice: /sslrootcert=FILE/,
    },
    {
      name: 'a certificate of another name',
      at: () => url(`audits?sslmode=verify-full&sslrootcert=${certificate()}`),
      message: /does not match certificate/,
      advice: /verify-ca/,
    },
    {
      name: 'no file of the authority',
      at: () => url('audits?sslmode=verify-ca&sslrootcert=/nowhere/ca'),
      message: /cannot read \/nowhere\/ca/,
      advice: /sslrootcert/,
    },
    {
      name: 'another encoding',
      at: () => url('latin'),
      sql: "SELECT 'я'",
      message: /no equivalent in encoding "LATIN1"/,
      advice: /ENCODING UTF8/,
    },
  ]

  it.each(stories)('is described: $name', async ({ at, sql, message, advice, isPassing = false }) => {
    const error = await errorAt(at(), sql)
    expect(error).toBeInstanceOf(AuditError)
    const described = { message: expect.stringMatching(message), advice: expect.stringMatching(advice) }
    expect(error).toMatchObject({ exitCode: 4, ...described, isPassing })
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

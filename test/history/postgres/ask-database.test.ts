import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askDatabase, firstWord } from '../../../src/history/postgres/ask-database.ts'
import { connect } from '../../../src/history/postgres/connect.ts'
import { readerGrants } from '../../../src/history/postgres/refuse-powers.ts'
import type { PostgresServer } from '../../../src/history/postgres-server.ts'
import { views } from '../../../src/history/views.ts'
import { unknownNames } from '../unknown-names.ts'
import { administrate, hasPostgres, makeDatabase, type TestDatabase } from './databases.ts'

const limits = { rows: 10, characters: 10_000, timeoutMs: 2_000 }
const reader = `reader_${process.pid}`
const member = `member_${process.pid}`
const owner = `owner_${process.pid}`
const writer = `writer_${process.pid}`

describe.skipIf(!hasPostgres)('a query of a history in PostgreSQL', () => {
  let place: TestDatabase
  let server: PostgresServer
  const as = (user: string): PostgresServer => ({ ...place.server, user })
  const ask = (sql: string, some: Partial<typeof limits> = {}) => askDatabase(server, sql, { ...limits, ...some })

  beforeAll(async () => {
    place = await makeDatabase()
    await administrate(`CREATE ROLE ${reader} LOGIN`)
    await administrate(`CREATE ROLE ${member} LOGIN IN ROLE pg_read_server_files, ${reader}`)
    // It may become the writer, and has none of its rights before it does.
    await administrate(`CREATE ROLE ${writer} NOLOGIN`)
    await administrate(`CREATE ROLE ${writer}_in_waiting LOGIN NOINHERIT IN ROLE ${writer}`)
    await administrate(`CREATE ROLE ${writer}_of_views LOGIN`)
    await administrate(`CREATE ROLE ${owner} LOGIN`)
    await administrate(`CREATE ROLE ${owner}_replicating LOGIN REPLICATION`)
    await administrate(`CREATE ROLE ${owner}_ending LOGIN IN ROLE pg_signal_backend`)
    const db = connect(place.server)
    await db.run(`GRANT DELETE ON hookdrift.run TO ${writer}`)
    await db.run(`GRANT CREATE ON SCHEMA hookdrift TO ${writer}_of_views`)
    await db.run(`ALTER TABLE hookdrift.lease OWNER TO ${owner}`)
    for (const grant of readerGrants(place.server).split('\n')) await db.run(grant.replace('hookdrift_reader', reader))
    await db.close()
    server = as(reader)
  })
  afterAll(async () => {
    await place.remove()
    const roles = [member, reader, `${writer}_in_waiting`, `${writer}_of_views`, writer]
    for (const role of [...roles, owner, `${owner}_replicating`, `${owner}_ending`]) {
      await administrate(`DROP ROLE ${role}`)
    }
  })

  it.each([
    ['SELECT 1 AS a, 2 AS a', ['a', 'a_2'], [1, 2]],
    ["VALUES ('\\x00ff'::bytea)", ['column1'], ["x'00ff'"]],
    [
      "-- why\n/* not /* DELETE */ */ WITH t (n) AS (VALUES (9007199254740993)) SELECT n, 'Infinity'::float8 AS big, NULL AS no FROM t;",
      ['n', 'big', 'no'],
      ['9007199254740993', 'Infinity', null],
    ],
    [
      `SELECT true AS yes, 2.50::numeric AS half, '{"a":1}'::json AS json`,
      ['yes', 'half', 'json'],
      [true, 2.5, '{"a":1}'],
    ],
    [
      "SELECT 'epoch'::timestamptz AS at, E'\\u0001\\u0001'::text AS nul",
      ['at', 'nul'],
      ['1970-01-01T00:00:00.000Z', '\0'],
    ],
    ['SELECT count(*) FROM committed_run', ['count'], [0]],
  ])('answers %s', async (sql, columns, row) => {
    expect(await ask(sql)).toEqual({ columns, rows: [row], isCut: false })
  })

  it('names the columns of an answer without rows', async () => {
    expect(await ask('SELECT number, chain FROM committed_run')).toEqual({
      columns: ['number', 'chain'],
      rows: [],
      isCut: false,
    })
  })

  it.each([
    ['', /refused: it is empty/],
    ['-- nothing', /refused: it is empty/],
    ['DELETE FROM run', /refused: it begins with DELETE/],
    ["/* /* */ SELECT */ COPY run TO PROGRAM 'id'", /refused: it begins with COPY/],
    ["-- SELECT\rCOPY (SELECT 1) TO '/tmp/file'", /refused: it begins with COPY/],
    ['SET ROLE postgres', /refused: it begins with SET/],
    ["SELECT '\0'", /refused: it contains NUL/],
    [
      'WITH gone AS (DELETE FROM hookdrift.committed_run RETURNING 1) SELECT * FROM gone',
      /refused: it would write|denied/,
    ],
    ['SELECT 1 INTO made', /refused: it would write/],
    ['EXPLAIN ANALYZE CREATE TABLE made AS SELECT 1', /failed: permission denied for schema/],
    ['SELECT 1; DELETE FROM run', /failed: cannot insert multiple commands/],
    ['SELECT 1; COMMIT; SELECT 2', /failed: cannot insert multiple commands/],
    ['SELECT uid FROM nowhere', /failed: relation "nowhere" does not exist/],
    ['SELECT $1', /failed: /],
    ['SELECT 1 FROM', /failed: syntax error/],
    ['SELECT body FROM version', /failed: permission denied for table version/],
    ["SELECT pg_read_file('/etc/passwd')", /failed: permission denied for function pg_read_file/],
    [
      "SELECT set_config('transaction_read_only', 'off', true)",
      /failed: .*read-write mode must be set before any query/,
    ],
    [
      "SELECT set_config('role', 'none', true), query_to_xml('SELECT pg_read_file(''/etc/passwd'')', true, true, '')",
      /failed: permission denied for function pg_read_file/,
    ],
  ])('refuses %s with 2', async (sql, message) => {
    await expect(ask(sql)).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(message) })
  })

  it.each(unknownNames)('names what was probably meant by %s', async (sql, meant, advice) => {
    const end = meant === undefined ? /does not exist$/ : new RegExp(`, did you mean ${meant}\\?$`)
    await expect(ask(sql)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(end),
      advice: expect.stringMatching(advice),
    })
  })

  it.each(Object.keys(views))('reads the view %s under a login that the advice makes', async (view) => {
    expect((await ask(`SELECT * FROM ${view}`)).rows).toEqual([])
  })

  it('says how to let a login read the views', async () => {
    await expect(ask('SELECT * FROM version')).rejects.toMatchObject({
      advice: expect.stringMatching(
        /^GRANT USAGE ON SCHEMA hookdrift TO hookdrift_reader;\nGRANT SELECT ON hookdrift\.committed_run, /m,
      ),
    })
  })

  it('leaves nothing behind: no large object, and no lock', async () => {
    expect((await ask('SELECT lo_create(4711), pg_advisory_lock(7)')).rows).toHaveLength(1)
    const left = `SELECT (SELECT count(*) FROM pg_largeobject_metadata) + (SELECT count(*) FROM pg_locks
      WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS n`
    expect((await ask(left)).rows).toEqual([[0]])
  })

  it('is stopped by the server after its time', async () => {
    await expect(ask('SELECT count(*) FROM generate_series(1, 1000000000)', { timeoutMs: 300 })).rejects.toMatchObject({
      exitCode: 2,
      message: 'the query was cut: it took more than 0.3 s',
    })
  })

  it('is cancelled where it lifts the limit of the server', async () => {
    const sql =
      "SELECT set_config('statement_timeout', '0', true), pg_sleep(CASE WHEN n > 2 THEN 60 ELSE 0 END) FROM generate_series(1, 9) n"
    await expect(ask(sql, { timeoutMs: 300 })).rejects.toMatchObject({
      message: 'the query was cut: it took more than 0.3 s',
    })
    expect(
      (await ask("SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(CASE%' AND pid <> pg_backend_pid()"))
        .rows,
    ).toEqual([])
  })

  it('stops at the row limit, and at answers that are too large', async () => {
    const many = 'SELECT n FROM generate_series(1, 100000) n'
    expect(await ask(many, { rows: 3 })).toEqual({ columns: ['n'], rows: [[1], [2], [3]], isCut: true })
    expect((await ask(many, { rows: 1000, characters: 1e6 })).rows).toHaveLength(1000)
    expect(await ask('SELECT n FROM generate_series(1, 2000) n', { rows: 2000, characters: 1e6 })).toMatchObject({
      isCut: false,
    })
    const large = { exitCode: 2, message: 'the query was cut: its rows take more than 10000 characters' }
    await expect(ask("SELECT repeat('x', 300) FROM generate_series(1, 100000)", { rows: 1e6 })).rejects.toMatchObject(
      large,
    )
    await expect(ask("SELECT repeat('x', 20000000)", { timeoutMs: 20_000 })).rejects.toMatchObject(large)
  })

  it('is refused under a login that may do more than read', async () => {
    const login = {
      exitCode: 2,
      advice: expect.stringMatching(/^name a login .*HOOKDRIFT_QUERY_HISTORY=.*\nCREATE ROLE /),
    }
    await expect(askDatabase(place.server, 'SELECT 1', limits)).rejects.toMatchObject({
      ...login,
      message: expect.stringMatching(/refused: the login \w+ is a superuser/),
    })
    const rights = /refused: the login \w+ has the rights of pg_read_server_files, so a query/
    await expect(askDatabase(as(member), 'SELECT 1', limits)).rejects.toMatchObject({
      ...login,
      message: expect.stringMatching(rights),
    })
    for (const role of [`${owner}_replicating`, `${owner}_ending`]) {
      await expect(askDatabase(as(role), 'SELECT 1', limits)).rejects.toMatchObject(login)
    }
  })

  it.each([
    ['owns a table', owner],
    ['may become a role that writes', `${writer}_in_waiting`],
    ['may make tables', `${writer}_of_views`],
  ])('is refused under a login that %s of the history', async (_, login) => {
    await expect(askDatabase(as(login), 'SELECT 1', limits)).rejects.toMatchObject({
      exitCode: 2,
      message: `the query was refused: the login ${login} may write to the history, as audits do, so a query could end runs under way`,
      advice: expect.stringMatching(/^name a login .*HOOKDRIFT_QUERY_HISTORY=.*\nCREATE ROLE .*\nGRANT USAGE /),
    })
  })

  it.each([
    ['ends a session', (pid: number) => `SELECT pg_terminate_backend(${pid})`],
    ['cancels a statement', (pid: number) => `SELECT pg_cancel_backend(${pid})`],
  ])('does not act on sessions of another login: %s', async (_, sql) => {
    const other = connect(place.server, { connections: 1 })
    await using _closing = { [Symbol.asyncDispose]: () => other.close() }
    const pidOf = () => other.value<number>('SELECT pg_backend_pid()')
    const pid = (await pidOf()) ?? 0
    await expect(ask(sql(pid))).rejects.toMatchObject({ exitCode: 2 })
    expect(await pidOf()).toBe(pid)
  })

  it('notifies no listener, and leaves no object and no row', async () => {
    const heard: unknown[] = []
    const listener = new Client({ ...place.server, user: reader })
    await listener.connect()
    listener.on('notification', (message) => heard.push(message))
    await listener.query('LISTEN everybody')
    const count = 'SELECT (SELECT count(*) FROM pg_largeobject_metadata) AS objects'
    const before = (await ask(count)).rows
    for (const sql of [
      "SELECT pg_notify('everybody', 'psst')",
      "SELECT lo_from_bytea(0, '\\x00')",
      "SELECT pg_logical_emit_message(false, 'a', 'b')",
      "SELECT pg_logical_emit_message(true, 'a', 'b')",
    ]) {
      // Refused or rolled back, by the release of the server.
      await ask(sql).catch((error: unknown) => expect(error).toMatchObject({ exitCode: 2 }))
    }
    await listener.query('SELECT 1')
    await listener.end()
    expect(heard).toEqual([])
    expect((await ask(count)).rows).toEqual(before)
  })

  it('is a failure where the server cannot be used', async () => {
    await expect(askDatabase({ ...server, database: 'no_such_database' }, 'SELECT 1', limits)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/^cannot use the history .*does not exist/),
    })
  })
})

describe('the first word of a query', () => {
  it.each([
    ['select 1', 'SELECT'],
    [' \t\n-- x\r\n/* y */-- z\n  WITH', 'WITH'],
    ['/* /* */ SELECT */ COPY', 'COPY'],
    ['/*/**/*/VALUES', 'VALUES'],
    ['/* never ends', ''],
    ['(SELECT 1)', ''],
  ])('of %j is %j', (sql, word) => {
    expect(firstWord(sql)).toBe(word)
  })
})

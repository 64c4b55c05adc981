import { describe, expect, it } from 'vitest'
import { connect } from '../../../src/history/postgres/connect.ts'
import { readSchemaState } from '../../../src/history/postgres/migrate.ts'
import { AuditError } from '../../../src/model/errors.ts'
import { openCuttingProxy } from './cutting-proxy.ts'
import { hasPostgres, openDatabaseFixture } from './databases.ts'

describe.skipIf(!hasPostgres)('a connection to PostgreSQL', () => {
  const fixture = openDatabaseFixture()

  it('finds the newest schema', async () => {
    const { has, knows } = await readSchemaState(fixture.db, fixture.db)
    expect(has).toBe(knows)
    expect(has).toBeGreaterThan(0)
  })

  it('returns every text as it was, in the order of its bytes', async () => {
    const texts = ['', '\0', '\0\u0001', '\u0001', '\u0001\u0002', '\u0002', 'a', 'a\0', 'a\u0001b', 'é', '\u{10ffff}']
    const rows = await fixture.db.all<{ text: string }>(
      'SELECT text FROM unnest($1::text[]) AS text ORDER BY text COLLATE "C"',
      [texts.toReversed()],
    )
    expect(rows.map(({ text }) => text)).toEqual(texts)
  })

  it('reads a bigint as a number', async () => {
    expect(await fixture.db.value('SELECT 9007199254740991::bigint')).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('rolls back what throws', async () => {
    const work = fixture.db.transaction(async (transaction) => {
      await transaction.run("INSERT INTO hookdrift.project (id, service, uid) VALUES (1, 'a', 'b')")
      throw new Error('stop')
    })
    await expect(work).rejects.toThrow('stop')
    expect(await fixture.db.value('SELECT count(*) FROM hookdrift.project')).toBe(0)
  })

  it('inserts more rows than one statement takes, with every text and NULL as it is', async () => {
    const rows = Array.from({ length: 1201 }, (_, at) => [`\0${at}`, at, at % 2 === 0 ? null : 'gone'] as const)
    const columns = ['name', 'written', 'gone_at'] as const
    await fixture.db.transaction((transaction) => transaction.insert('channel', columns, rows))
    const found = await fixture.db.all<{ name: string; written: number; gone_at: string | null }>(
      `SELECT ${columns.join(', ')} FROM hookdrift.channel ORDER BY written`,
    )
    expect(found.map(({ name, written, gone_at }) => [name, written, gone_at])).toEqual(rows)
  })

  it('cannot write in a snapshot', async () => {
    const work = fixture.db.snapshot((transaction) => transaction.run('DELETE FROM hookdrift.project'))
    await expect(work).rejects.toThrow(AuditError)
  })

  it('fails when the connection breaks between two rows', async () => {
    const work = fixture.db.snapshot(async (transaction) => {
      const session = await transaction.value<number>('SELECT pg_backend_pid()')
      for await (const { n } of transaction.iterate<{ n: number }>('SELECT generate_series(1, 5000) AS n')) {
        if (n === 500) await fixture.db.value('SELECT pg_terminate_backend($1)', [session ?? 0])
      }
    })
    await expect(work).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/^cannot use the history /),
    })
    expect(await fixture.db.value('SELECT 1')).toBe(1)
  })

  it('gives a connection up through which no answer comes, and goes on with another one', async () => {
    const proxy = await openCuttingProxy(fixture.place.server)
    const through = connect(proxy.server, { mostSilenceMs: () => 1_000 })
    try {
      expect(await through.value('SELECT 1')).toBe(1)
      proxy.silence('those there are')
      const silent = { exitCode: 4, isPassing: true, message: expect.stringMatching(/: no answer for 1 s$/) }
      await expect(through.value('SELECT 1')).rejects.toMatchObject(silent)
      const work = through.transaction(async (transaction) => {
        expect(await transaction.value('SELECT 2')).toBe(2)
        proxy.silence('those there are')
        await transaction.value('SELECT 2')
      })
      await expect(work).rejects.toMatchObject(silent)
      const rows = through.snapshot(async (transaction) => {
        for await (const _ of transaction.iterate('SELECT generate_series(1, 5000) AS n'))
          proxy.silence('those there are')
      })
      await expect(rows).rejects.toMatchObject(silent)
      expect(await through.value('SELECT 3')).toBe(3)
      // It is closed, although the server takes no leave.
      proxy.silence()
      await through.close()
      await expect(through.value('SELECT 1')).rejects.toThrow()
    } finally {
      await proxy.close()
    }
  })

  it('reads many rows one after the other', async () => {
    const sum = await fixture.db.snapshot(async (transaction) => {
      let found = 0
      for await (const { n } of transaction.iterate<{ n: number }>('SELECT generate_series(1, $1) AS n', [2001]))
        found += n
      return found
    })
    expect(sum).toBe((2001 * 2002) / 2)
  })
})

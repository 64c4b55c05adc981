import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Outbox } from '../../../src/history/outbox.ts'
import { connect, type PostgresDatabase } from '../../../src/history/postgres/connect.ts'
import { postgresClaims } from '../../../src/history/postgres/lease.ts'
import { postgresBackend } from '../../../src/history/postgres/postgres-backend.ts'
import { sqlOutbox } from '../../../src/history/sql/outbox.ts'
import { Machines } from '../processes.ts'
import { at } from '../samples.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from './databases.ts'

const aMessage = (id: string, incident?: { key: string; subjects: readonly string[] }) => {
  return { id, channel: 'hook', run: null, body: '{}', ...(incident === undefined ? {} : { incident }) }
}

describe.skipIf(!hasPostgres)('an outbox in PostgreSQL', () => {
  let place: TestDatabase
  let db: PostgresDatabase
  let outbox: Outbox
  beforeEach(async () => {
    place = await makeDatabase()
    db = connect(place.server)
    const owner = { ...new Machines().process(1), isClockOwn: true }
    outbox = sqlOutbox(postgresBackend(db, owner), postgresClaims(db, owner))
  })
  afterEach(async () => {
    await db.close()
    await place.remove()
  })

  const written = async () => (await outbox.undelivered()).map(({ id, number }) => [id, number])
  const incidents = async () =>
    (
      await db.all<{ key: string; subject: string }>(
        'SELECT key, subject FROM hookdrift.incident ORDER BY key, subject',
      )
    ).map(({ key, subject }) => `${key} ${subject}`)

  it('numbers messages without gaps while many processes write, some of them the same', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `m${index % 25}`)
    await Promise.all(ids.map((id) => outbox.enqueue([aMessage(id), aMessage('same')], at(1))))
    const numbers = (await outbox.undelivered()).map(({ number }) => number)
    expect(numbers).toEqual(Array.from({ length: 26 }, (_, index) => index + 1))
    expect(await db.value('SELECT written FROM hookdrift.channel')).toBe(26)
  })

  it('writes the first of several messages with one id', async () => {
    await outbox.enqueue([aMessage('b'), aMessage('a'), { ...aMessage('b'), body: '[]' }], at(1))
    expect(await written()).toEqual([
      ['b', 1],
      ['a', 2],
    ])
    expect((await outbox.firstWaiting('hook'))?.body).toBe('{}')
  })

  it('opens, moves and closes incidents in the order of their messages', async () => {
    await outbox.enqueue(
      [aMessage('1', { key: 'a', subjects: ['x', 'y'] }), aMessage('2', { key: 'b', subjects: ['z'] })],
      at(1),
    )
    expect(await incidents()).toEqual(['a x', 'a y', 'b z'])
    await outbox.enqueue(
      [
        aMessage('3', { key: 'c', subjects: ['x', 'v'] }),
        aMessage('4', { key: 'c', subjects: [] }),
        aMessage('5', { key: 'c', subjects: ['w'] }),
        aMessage('6', { key: 'b', subjects: [] }),
        aMessage('7', { key: 'd', subjects: ['y'] }),
      ],
      at(2),
    )
    expect(await incidents()).toEqual(['c w', 'd y'])
  })

  it('keeps a message that is written while older ones are forgotten', async () => {
    await outbox.enqueue([aMessage('old')], at(1))
    await outbox.delivered('old', at(1))
    await Promise.all([
      outbox.dropFinished(at(2)),
      outbox.enqueue([aMessage('new')], at(3)),
      outbox.dropFinished(at(2)),
    ])
    expect(await written()).toEqual([['new', 2]])
  })
})

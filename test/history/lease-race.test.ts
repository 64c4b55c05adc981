import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDirectory } from '../cli/start-process.ts'
import { type Round, race } from './lease-race.ts'
import { hasPostgres, makeDatabase } from './postgres/databases.ts'

// The long version, with fifty processes and with paused owners: `npm run bench -- lease`.
describe('one of several processes that begin at once gets the lease, and the others fail at once', () => {
  function check(rounds: readonly Round[]) {
    for (const round of rounds) {
      expect(round).toMatchObject({ winners: 1, exitCodes: [5, 5, 5, 5], isCommitted: true })
      // SQLite itself would wait for five seconds.
      expect(Math.max(...round.loserMs)).toBeLessThan(4_000)
    }
  }

  it('on a file', async () => {
    using directory = openDirectory()
    check(await race(join(directory.path, 'hookdrift.db'), { processes: 5, rounds: 3, killEvery: 2 }))
  })

  it.skipIf(!hasPostgres)('on a database', async () => {
    const database = await makeDatabase()
    check(await race(database.url, { processes: 5, rounds: 3, killEvery: 2 }))
    await database.remove()
  })
})

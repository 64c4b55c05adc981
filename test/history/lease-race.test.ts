import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDirectory } from '../cli/start-process.ts'
import { race } from './lease-race.ts'

// The long version, with fifty processes and with paused owners: `npm run bench:lease`.
it('one of several processes that begin at once gets the lease, and the others fail at once', async () => {
  using directory = openDirectory()
  const rounds = await race(join(directory.path, 'hookdrift.db'), { processes: 5, rounds: 3, killEvery: 2 })
  for (const round of rounds) {
    expect(round).toMatchObject({ winners: 1, exitCodes: [5, 5, 5, 5], isCommitted: true })
    // SQLite itself would wait for five seconds.
    expect(Math.max(...round.loserMs)).toBeLessThan(4_000)
  }
})

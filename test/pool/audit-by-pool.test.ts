import { describe, expect, it } from 'vitest'
import { hasPostgres, makeDatabase } from '../history/postgres/databases.ts'
import { tries } from '../thoroughness.ts'
import { compareWithPool } from './compare-with-pool.ts'

/** More of them: `npm run prove -- --only worlds`. */
const worlds = tries(2, { locally: 1 })

describe.skipIf(!hasPostgres)('a run of several workers', { timeout: 600_000 }, () => {
  it('reports what one process reports, also when workers are lost and zombies go on', async () => {
    let lost = 0
    for (let seed = 1; seed <= worlds; seed++) {
      const world = await compareWithPool(`ci/${seed}`, makeDatabase)
      expect(world.differences, `world ${seed}`).toEqual([])
      lost += world.lost
    }
    expect(lost).toBeGreaterThan(0)
  })
})

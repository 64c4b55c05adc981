import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/demo/random.ts'
import { openFleetFixture } from '../../audit/fleet-fixture.ts'
import { editAtRandom } from '../../oracle/random-edits.ts'
import { hasPostgres, makeDatabase } from '../postgres/databases.ts'
import { copyThereAndBack } from './there-and-back.ts'

describe.skipIf(!hasPostgres)('a history of audits that is copied there and back', () => {
  it('verifies, with equal rows and an equal chain, link for link', async () => {
    await using fixture = await openFleetFixture()
    const random = createRandom('there and back')
    for (let day = 0; day < 6; day++) {
      await fixture.audit({})
      for (let edits = 0; edits < 8; edits++) editAtRandom(fixture.fleet, random)
    }
    const place = await makeDatabase({ empty: true })
    const back = join(fixture.harness.directory, 'back.db')
    try {
      const { runs, rows, differences } = await copyThereAndBack(fixture.harness.file, place, back)
      expect(differences).toEqual([])
      expect(runs).toBe(6)
      expect(rows).toBeGreaterThan(100)
    } finally {
      rmSync(back, { force: true })
      await place.remove()
    }
  })
})

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/demo/random.ts'
import { openFleetFixture } from '../../audit/fleet-fixture.ts'
import { editAtRandom } from '../../oracle/random-edits.ts'
import { hasPostgres, makeDatabase } from '../postgres/databases.ts'
import { copyThereAndBack } from './there-and-back.ts'

describe.skipIf(!hasPostgres)('a history of audits that is copied there and back', () => {
  it('verifies, with equal rows and an equal chain, link for link', async () => {
    await using fixture = await openFleetFixture({ fleet: { clean: false, projects: 3, incomingEvery: 3 } })
    const random = createRandom('there and back')
    for (let day = 0; day < 6; day++) {
      await fixture.audit({})
      for (let edits = 0; edits < 8; edits++) editAtRandom(fixture.fleet, random)
    }
    fixture.service.failNext({ path: /\/endpoints/, page: 1, how: 'reset', times: 10 })
    await fixture.audit()
    expect(new Set(exitCodesIn(fixture.harness.file)).size).toBeGreaterThan(1)
    const place = await makeDatabase({ empty: true })
    const back = join(fixture.harness.directory, 'back.db')
    try {
      const { runs, rows, differences } = await copyThereAndBack(fixture.harness.file, place, back)
      expect(differences).toEqual([])
      expect(runs).toBe(7)
      expect(rows).toBeGreaterThan(100)
    } finally {
      rmSync(back, { force: true })
      await place.remove()
    }
  })
})

function exitCodesIn(file: string) {
  const db = new Database(file, { readonly: true })
  const codes = db.prepare('SELECT exit_code FROM run').pluck().all()
  db.close()
  return codes
}

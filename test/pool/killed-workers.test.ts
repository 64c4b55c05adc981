import { describe, expect, it } from 'vitest'
import { hasPostgres, makeDatabase } from '../history/postgres/databases.ts'
import { openKilledWorkers } from './kill-workers.ts'

/** What the workers need to notice, and a busy machine to walk again. `prove/kills.ts` holds them to 15 s. */
const mostLaterMs = 40_000

/** A few of all statements: within a walk, within the commit of the run, and between them. */
const deaths = [
  { part: 'walker', statement: 9, isSent: true },
  { part: 'coordinator', statement: 25, isSent: false },
] as const

describe.skipIf(!hasPostgres)('a worker that is killed at a statement', { timeout: 300_000 }, () => {
  it('leaves a run to the others, which commit it complete', async () => {
    const place = await makeDatabase()
    try {
      await using workers = await openKilledWorkers(place, { lifetimeMs: 290_000 })
      const undisturbed = await workers.audit()
      expect(undisturbed.faults).toEqual([])
      for (const death of deaths) {
        const run = await workers.audit(death)
        expect(run).toMatchObject({ wasKilled: true, faults: [] })
        expect(run.tookMs - undisturbed.tookMs).toBeLessThan(mostLaterMs)
      }
      expect(await workers.verify()).toEqual([])
    } finally {
      await place.remove()
    }
  })
})

import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { runOracle } from './run-oracle.ts'

const python = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'])
const why = python.status === 0 ? '' : ' (skipped: there is no python3 of 3.9 or later here)'

describe.skipIf(why !== '')(`an oracle in another language, from the raw answers alone${why}`, () => {
  it('says of random worlds what hookdrift says', async () => {
    const { worlds, comparisons, disagreements } = await runOracle({ worlds: 12, seed: 'suite' })
    expect(disagreements).toEqual([])
    expect(worlds).toBe(12)
    // So that an oracle that has gone silent does not pass for one that agrees.
    expect(comparisons.violations).toBeGreaterThan(500)
    expect(comparisons.changes).toBeGreaterThan(50)
    expect(comparisons.coverage).toBeGreaterThan(200)
  })
})

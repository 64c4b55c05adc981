import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { tries } from '../thoroughness.ts'
import { runOracle } from './run-oracle.ts'

const python = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'])
const why = python.status === 0 ? '' : ' (skipped: there is no python3 of 3.9 or later here)'

describe.skipIf(why !== '')(`an oracle in another language, from the raw answers alone${why}`, () => {
  it('says of random worlds what hookdrift says', async () => {
    const asked = tries(12, { locally: 4 })
    const { worlds, comparisons, disagreements } = await runOracle({ worlds: asked, seed: 'oracle' })
    expect(disagreements).toEqual([])
    expect(worlds).toBe(asked)
    // So that an oracle that has gone silent does not pass for one that agrees.
    expect(comparisons.violations).toBeGreaterThan(40 * asked)
    expect(comparisons.endings).toBeGreaterThan(8 * asked)
    expect(comparisons.events).toBeGreaterThan(50 * asked)
    expect(comparisons.controls).toBeGreaterThan(40 * asked)
    expect(comparisons.exemptions).toBeGreaterThan(10 * asked)
    expect(comparisons['controls in doubt']).toBeGreaterThan(asked)
    expect(comparisons.changes).toBeGreaterThan(4 * asked)
    expect(comparisons.coverage).toBeGreaterThan(16 * asked)
    expect(comparisons.baselines).toBeGreaterThan(2 * asked)
    expect(comparisons['compared with approved states']).toBeGreaterThan(4 * asked)
    expect(comparisons['baseline diffs']).toBeGreaterThan(asked)
    expect(comparisons['statements about rows']).toBeGreaterThan(15 * asked)
  })
})

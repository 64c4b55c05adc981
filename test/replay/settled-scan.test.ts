import { describe, expect, it } from 'vitest'
import { nothingEvaluated } from '../../src/policy/evaluation-outcome.ts'
import { findSettled } from '../../src/replay/settled-scan.ts'

describe('what a scan found before', () => {
  const labels = { env: 'test' }
  const settled = { findings: [], evaluation: nothingEvaluated, circumstances: 'same', labels, at: 100, until: 200 }

  it('holds from its run until a rule may find something else', () => {
    const times = [99, 100, 199, 200]
    const found = times.map((now) => findSettled(settled, { circumstances: 'same', labels, now }))
    expect(found).toEqual([undefined, settled, settled, undefined])
  })

  it('does not hold in other circumstances or under other labels', () => {
    expect(findSettled(settled, { circumstances: 'other', labels, now: 150 })).toBeUndefined()
    expect(findSettled(settled, { circumstances: 'same', labels: { ...labels }, now: 150 })).toBeUndefined()
    expect(findSettled(undefined, { circumstances: 'same', labels, now: 150 })).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { nothingEvaluated } from '../../src/policy/evaluation-outcome.ts'
import { findLasting } from '../../src/replay/lasting-scan.ts'

describe('what a scan found before', () => {
  const labels = { env: 'test' }
  const nothing = { findings: [], evaluation: nothingEvaluated }
  const lasting = { ...nothing, context: 'same', labels, at: 100, until: 200 }

  it('holds from its run until a rule may find something else', () => {
    const times = [99, 100, 199, 200]
    const found = times.map((now) => findLasting(lasting, { context: 'same', labels, now }))
    expect(found).toEqual([undefined, lasting, lasting, undefined])
  })

  it('does not hold in another context or under other labels', () => {
    expect(findLasting(lasting, { context: 'other', labels, now: 150 })).toBeUndefined()
    expect(findLasting(lasting, { context: 'same', labels: { ...labels }, now: 150 })).toBeUndefined()
    expect(findLasting(undefined, { context: 'same', labels, now: 150 })).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { nearestName } from '../../src/model/text/nearest-name.ts'

describe('nearestName', () => {
  const known = ['history', 'policy', 'concurrency', 'services']

  it.each([
    ['histroy', 'history'], // neighbours swapped
    ['polic', 'policy'],
    ['Services', 'services'],
    ['concurency', 'concurrency'],
    ['service', 'services'],
  ])('finds what %s should be', (name, meant) => {
    expect(nearestName(name, known)).toBe(meant)
  })

  it.each(['schedules', 'x', '', 'y'.repeat(100_000)])('suggests nothing for an unlike name', (name) => {
    expect(nearestName(name, known)).toBeUndefined()
  })

  it('compares a name of one segment with last segments', () => {
    const rules = ['endpoint/secret-weak', 'endpoint/secret-missing', 'drift/flapping']
    expect(
      ['secret-weak', 'secret-weka', 'endpont/secret-weak', 'weak'].map((name) => nearestName(name, rules)),
    ).toEqual([rules[0], rules[0], rules[0], undefined])
  })

  it('prefers the nearer of two', () => {
    expect(nearestName('retrys', ['retry', 'retries'])).toBe('retry')
  })
})

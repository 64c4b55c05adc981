import { describe, expect, it } from 'vitest'
import { secretExpiring } from '../../../src/rules/endpoint/secret-expiring.ts'
import { problemsOf } from './judge-endpoint.ts'

describe('endpoint/secret-expiring', () => {
  it('finds that the last secret to expire does so within seven days', () => {
    const secrets = { a: { expires_at: '2026-11-22T00:00:00Z' }, b: { expires_at: '2026-11-25T09:00:00Z' } }
    expect(problemsOf(secretExpiring, { secrets })).toEqual([
      { path: '/secrets/b', message: 'expires on 2026-11-25, and no other secret lasts longer' },
    ])
  })

  it('leaves it alone where a successor lasts longer', () => {
    const ending = { expires_at: '2026-11-25T00:00:00Z' }
    expect(problemsOf(secretExpiring, { secrets: { a: ending, b: { expires_at: null } } })).toEqual([])
    expect(problemsOf(secretExpiring, { secrets: { a: ending, b: { expires_at: '2027-01-01T00:00:00Z' } } })).toEqual(
      [],
    )
  })

  it('leaves what is over to the rule about expired secrets', () => {
    expect(problemsOf(secretExpiring, { secrets: { a: { expires_at: '2026-11-20T00:00:00Z' } } })).toEqual([])
  })

  it('looks as far ahead as the policy says', () => {
    const secrets = { a: { expires_at: '2026-12-15T00:00:00Z' } }
    expect(problemsOf(secretExpiring, { secrets })).toEqual([])
    expect(problemsOf(secretExpiring, { secrets }, { options: { min_days: 30 } })).toHaveLength(1)
  })

  it('is silent where nothing is shown', () => {
    expect(problemsOf(secretExpiring, {})).toEqual([])
    expect(problemsOf(secretExpiring, { secrets: { a: {} } })).toEqual([])
  })
})

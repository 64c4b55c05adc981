import { describe, expect, it } from 'vitest'
import { secretStale } from '../../../src/rules/endpoint/secret-stale.ts'
import { problemsOf } from './judge-endpoint.ts'

describe('endpoint/secret-stale', () => {
  it('finds that the newest secret is older than a year', () => {
    const secrets = { a: { created_at: '2024-01-01T00:00:00Z' }, b: { created_at: '2025-06-01T12:00:00Z' } }
    expect(problemsOf(secretStale, { secrets })).toEqual([
      { path: '/secrets/b', message: 'the newest secret is of 2025-06-01, the policy allows 365 days' },
    ])
  })

  it('leaves an old secret alone that has a young successor', () => {
    const secrets = { a: { created_at: '2024-01-01T00:00:00Z' }, b: { created_at: '2026-06-01T00:00:00Z' } }
    expect(problemsOf(secretStale, { secrets })).toEqual([])
  })

  it('allows as many days as the policy says', () => {
    const secrets = { a: { created_at: '2026-06-01T00:00:00Z' } }
    expect(problemsOf(secretStale, { secrets }, { options: { max_days: 90 } })).toHaveLength(1)
  })

  it('is silent where no date is shown', () => {
    expect(problemsOf(secretStale, {})).toEqual([])
    expect(problemsOf(secretStale, { secrets: { a: {}, b: { created_at: '2024-01-01T00:00:00Z' } } })).toEqual([])
    expect(problemsOf(secretStale, { secrets: { a: { created_at: null } } })).toEqual([])
  })
})

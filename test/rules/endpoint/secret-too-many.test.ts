import { describe, expect, it } from 'vitest'
import { secretTooMany } from '../../../src/rules/endpoint/secret-too-many.ts'
import { problemsOf } from './judge-endpoint.ts'

describe('endpoint/secret-too-many', () => {
  it('finds a third active secret', () => {
    expect(problemsOf(secretTooMany, { secrets: { a: {}, b: {}, c: {} } })).toEqual([
      { path: '/secrets', message: '3 active secrets, the policy allows 2' },
    ])
  })

  it('allows two, which a rotation takes, and any number of deleted ones', () => {
    const deleted = { deleted_at: '2026-01-01T00:00:00Z' }
    expect(problemsOf(secretTooMany, { secrets: { a: {}, b: {}, c: deleted, d: deleted } })).toEqual([])
  })

  it('allows as many as the policy says', () => {
    expect(problemsOf(secretTooMany, { secrets: { a: {}, b: {} } }, { options: { max_secrets: 1 } })).toHaveLength(1)
  })

  it('is silent where no secrets are shown', () => {
    expect(problemsOf(secretTooMany, {})).toEqual([])
    expect(problemsOf(secretTooMany, { secrets: null })).toEqual([])
  })
})

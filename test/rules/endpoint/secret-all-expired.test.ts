import { describe, expect, it } from 'vitest'
import { secretAllExpired } from '../../../src/rules/endpoint/secret-all-expired.ts'
import { problemsOf } from './judge-endpoint.ts'

const secret = (expires_at: string | null | undefined, deleted_at: string | null = null) => ({
  ...(expires_at === undefined ? {} : { expires_at }),
  deleted_at,
})

describe('endpoint/secret-all-expired', () => {
  it('finds an endpoint whose active secrets are all past their expiry, and names the last day', () => {
    const secrets = { a: secret('2026-11-01T00:00:00Z'), b: secret('2026-11-19T08:00:00Z') }
    expect(problemsOf(secretAllExpired, { secrets })).toEqual([
      { path: '/secrets', message: 'every active secret has expired, the last on 2026-11-19' },
    ])
  })

  it('leaves an endpoint alone of whose secrets one lasts', () => {
    expect(problemsOf(secretAllExpired, { secrets: { a: secret('2026-11-01T00:00:00Z'), b: secret(null) } })).toEqual(
      [],
    )
    expect(problemsOf(secretAllExpired, { secrets: { a: secret('2026-11-22T00:00:00Z') } })).toEqual([])
  })

  it('does not count deleted secrets', () => {
    const secrets = { a: secret('2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z') }
    expect(problemsOf(secretAllExpired, { secrets })).toEqual([])
  })

  it('is silent without secrets, and where no expiry is shown', () => {
    expect(problemsOf(secretAllExpired, {})).toEqual([])
    expect(problemsOf(secretAllExpired, { secrets: null })).toEqual([])
    expect(problemsOf(secretAllExpired, { secrets: { a: secret(undefined) } })).toEqual([])
  })
})

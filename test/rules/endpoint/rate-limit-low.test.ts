import { describe, expect, it } from 'vitest'
import { rateLimitLow } from '../../../src/rules/endpoint/rate-limit-low.ts'
import { problemsOf } from './judge-endpoint.ts'

describe('endpoint/rate-limit-low', () => {
  it('finds a limit under one a minute', () => {
    expect(problemsOf(rateLimitLow, { rate_limit: 5, rate_limit_duration: 3600 })).toEqual([
      { path: '/rate_limit', message: '5 per 3600 s, the policy asks for 1 a minute' },
    ])
  })

  it('leaves one a minute alone, and no limit', () => {
    expect(problemsOf(rateLimitLow, { rate_limit: 1, rate_limit_duration: 60 })).toEqual([])
    expect(problemsOf(rateLimitLow, { rate_limit: 0, rate_limit_duration: 60 })).toEqual([])
    expect(problemsOf(rateLimitLow, { rate_limit: 1, rate_limit_duration: 0 })).toEqual([])
  })

  it('asks for as many as the policy says', () => {
    const slow = { rate_limit: 50, rate_limit_duration: 60 }
    expect(problemsOf(rateLimitLow, slow, { options: { min_per_minute: 100 } })).toHaveLength(1)
  })

  it('is silent where one of the two is not shown', () => {
    expect(problemsOf(rateLimitLow, { rate_limit: 1 })).toEqual([])
    expect(problemsOf(rateLimitLow, { rate_limit_duration: 3600 })).toEqual([])
  })
})

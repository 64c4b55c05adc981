import { describe, expect, it } from 'vitest'
import { rateLimitAbsent } from '../../../src/rules/endpoint/rate-limit-absent.ts'
import { problemsOf } from './judge-endpoint.ts'

const problem = { path: '/rate_limit', message: 'no rate limit: a burst of events arrives as fast as it can be sent' }

describe('endpoint/rate-limit-absent', () => {
  it('mentions that there is none', () => {
    expect(problemsOf(rateLimitAbsent, { rate_limit: 0, rate_limit_duration: 0 })).toEqual([problem])
    expect(problemsOf(rateLimitAbsent, { rate_limit: null, rate_limit_duration: 0 })).toEqual([problem])
  })

  it('leaves a limit alone, and one of zeros to the rule about those', () => {
    expect(problemsOf(rateLimitAbsent, { rate_limit: 50, rate_limit_duration: 60 })).toEqual([])
    expect(problemsOf(rateLimitAbsent, { rate_limit: 50, rate_limit_duration: 0 })).toEqual([])
  })

  it('is silent where one of the two is not shown', () => {
    expect(problemsOf(rateLimitAbsent, {})).toEqual([])
    expect(problemsOf(rateLimitAbsent, { rate_limit: 0 })).toEqual([])
  })
})

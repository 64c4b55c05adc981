import { describe, expect, it } from 'vitest'
import { timeoutLow } from '../../../src/rules/endpoint/timeout-low.ts'
import { problemsOf } from './judge-endpoint.ts'

describe('endpoint/timeout-low', () => {
  it('finds a timeout under 5 s', () => {
    expect(problemsOf(timeoutLow, { http_timeout: 3 })).toEqual([
      { path: '/http_timeout', message: 'times out after 3 s, the policy asks for 5 s' },
    ])
  })

  it('leaves enough alone, and 0, which is the default of the service', () => {
    for (const http_timeout of [0, 5, 30]) expect(problemsOf(timeoutLow, { http_timeout })).toEqual([])
  })

  it('asks for as much as the policy says', () => {
    expect(problemsOf(timeoutLow, { http_timeout: 10 }, { options: { min_seconds: 15 } })).toHaveLength(1)
  })

  it('is silent where it is not shown', () => {
    expect(problemsOf(timeoutLow, {})).toEqual([])
    expect(problemsOf(timeoutLow, { http_timeout: null })).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { timeoutHigh } from '../../../src/rules/endpoint/timeout-high.ts'
import { problemsOf } from './judge-endpoint.ts'

describe('endpoint/timeout-high', () => {
  it('finds a timeout over 60 s', () => {
    expect(problemsOf(timeoutHigh, { http_timeout: 120 })).toEqual([
      { path: '/http_timeout', message: 'times out after 120 s, the policy allows 60 s' },
    ])
  })

  it('leaves 60 s alone', () => {
    expect(problemsOf(timeoutHigh, { http_timeout: 60 })).toEqual([])
  })

  it('allows as much as the policy says', () => {
    expect(problemsOf(timeoutHigh, { http_timeout: 60 }, { options: { max_seconds: 30 } })).toHaveLength(1)
  })

  it('is silent where it is not shown', () => {
    expect(problemsOf(timeoutHigh, {})).toEqual([])
    expect(problemsOf(timeoutHigh, { http_timeout: null })).toEqual([])
  })
})

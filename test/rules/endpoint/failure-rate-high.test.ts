import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/model/json.ts'
import { failureRateHigh } from '../../../src/rules/endpoint/failure-rate-high.ts'
import { problemsOf } from './judge-endpoint.ts'

const judge = (volatile: JsonObject, options = {}) => problemsOf(failureRateHigh, {}, { volatile, options })

describe('endpoint/failure-rate-high', () => {
  it('finds that over 20 % fail, and more so over 50 %', () => {
    expect(judge({ failure_rate: 20.1 })).toEqual([
      { path: '', message: 'more than 20 % of its deliveries fail', severity: 'medium' },
    ])
    expect(judge({ failure_rate: 83.33333333333334 })).toEqual([
      { path: '', message: 'more than 50 % of its deliveries fail', severity: 'high' },
    ])
  })

  it('finds an open circuit breaker', () => {
    expect(judge({ failure_rate: null, cb_state: 'open' })).toEqual([
      { path: '', message: 'its circuit breaker is open', severity: 'medium' },
    ])
    expect(judge({ failure_rate: 60, cb_state: 'open' })).toEqual([
      { path: '', message: 'more than 50 % of its deliveries fail; its circuit breaker is open', severity: 'high' },
    ])
  })

  it('says the same while the rate moves on one side of a line', () => {
    expect(judge({ failure_rate: 30 })).toEqual(judge({ failure_rate: 40 }))
  })

  it('leaves a low rate and other states of the breaker alone', () => {
    expect(judge({ failure_rate: 20, cb_state: 'closed' })).toEqual([])
    expect(judge({ failure_rate: 0, cb_state: 'half-open' })).toEqual([])
  })

  it('allows as much as the policy says', () => {
    expect(judge({ failure_rate: 60 }, { max_percent: 70 })).toEqual([])
    expect(judge({ failure_rate: 80 }, { max_percent: 70 })).toEqual([
      { path: '', message: 'more than 70 % of its deliveries fail', severity: 'high' },
    ])
  })

  it('is silent where neither is shown', () => {
    expect(judge({})).toEqual([])
    expect(judge({ failure_rate: null, cb_state: null })).toEqual([])
  })
})

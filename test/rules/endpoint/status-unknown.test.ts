import { describe, expect, it } from 'vitest'
import { statusUnknown } from '../../../src/rules/endpoint/status-unknown.ts'
import { problemsOf } from './judge-endpoint.ts'

describe('endpoint/status-unknown', () => {
  it('finds a status that it does not know', () => {
    expect(problemsOf(statusUnknown, { status: 'frozen' })).toEqual([
      { path: '/status', message: 'status frozen is unknown: whether events are delivered is not known' },
    ])
  })

  it('knows three', () => {
    for (const status of ['active', 'inactive', 'paused']) expect(problemsOf(statusUnknown, { status })).toEqual([])
  })

  it('is silent where it is not shown', () => {
    expect(problemsOf(statusUnknown, {})).toEqual([])
    expect(problemsOf(statusUnknown, { status: null })).toEqual([])
  })
})

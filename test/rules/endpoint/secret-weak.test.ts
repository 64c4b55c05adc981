import { describe, expect, it } from 'vitest'
import type { Weakness } from '../../../src/model/resource.ts'
import { secretWeak } from '../../../src/rules/endpoint/secret-weak.ts'
import { masked, problemsOf, seal } from './judge-endpoint.ts'

const secrets = { k1: { value: seal('a') } }
const path = '/secrets/k1/value'
const judge = (min_length: number, weak: Weakness[] = [], options = {}) =>
  problemsOf(secretWeak, { secrets }, { facts: { [path]: { min_length, weak } }, options })

describe('endpoint/secret-weak', () => {
  it('finds a secret under 24 characters, and more so under 16', () => {
    expect(judge(16)).toEqual([{ path, message: 'weak: 16 to 23 characters', severity: 'medium' }])
    expect(judge(0)).toEqual([{ path, message: 'weak: under 8 characters', severity: 'high' }])
  })

  it('finds a long secret that can be guessed', () => {
    expect(judge(32, ['equals-uid', 'repetition'])).toEqual([
      { path, message: 'weak: its own uid, a repetition', severity: 'medium' },
    ])
  })

  it('leaves a long random secret alone', () => {
    expect(judge(24)).toEqual([])
  })

  it('asks for as many characters as the policy says, in the classes that are known', () => {
    expect(judge(24, [], { min_characters: 32 })).toEqual([
      { path, message: 'weak: 24 to 31 characters', severity: 'medium' },
    ])
    expect(() => secretWeak.bind({ min_characters: 20 })).toThrow()
  })

  it('never judges what the service masks, nor what nothing is known of, nor a deleted secret', () => {
    const facts = { [path]: { min_length: 8, weak: [] } }
    expect(problemsOf(secretWeak, { secrets: { k1: { value: masked } } }, { facts })).toEqual([])
    expect(problemsOf(secretWeak, { secrets })).toEqual([])
    const deleted = { k1: { value: seal('a'), deleted_at: '2026-01-01T00:00:00Z' } }
    expect(problemsOf(secretWeak, { secrets: deleted }, { facts })).toEqual([])
  })

  it('is silent where no secret is shown', () => {
    expect(problemsOf(secretWeak, {})).toEqual([])
  })
})

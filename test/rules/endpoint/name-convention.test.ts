import { describe, expect, it } from 'vitest'
import { nameConvention } from '../../../src/rules/endpoint/name-convention.ts'
import { problemsOf } from './judge-endpoint.ts'

const options = { name: '^[a-z]+-[0-9]{3}$', description: '\\S' }

describe('endpoint/name-convention', () => {
  it('finds names and descriptions that break their pattern', () => {
    expect(problemsOf(nameConvention, { name: 'Billing 1', description: null }, { options })).toEqual([
      { path: '/name', message: 'name "Billing 1" does not match ^[a-z]+-[0-9]{3}$' },
      { path: '/description', message: 'description "" does not match \\S' },
    ])
  })

  it('leaves those alone that keep to it', () => {
    expect(problemsOf(nameConvention, { name: 'billing-001', description: 'invoices' }, { options })).toEqual([])
  })

  it('says nothing without patterns, nor where nothing is shown', () => {
    expect(problemsOf(nameConvention, { name: 'Billing 1' })).toEqual([])
    expect(problemsOf(nameConvention, {}, { options })).toEqual([])
  })

  it('is in no pack', () => {
    expect(nameConvention.packs).toEqual([])
  })

  it.each(['(', '[a-', 'a{2,1}', '(a)\\1', '(?=a)', '((a{100}){100}){100}'])(
    'refuses %s, which is no regular expression',
    (name) => {
      expect(() => nameConvention.bind({ name })).toThrow(/regular expression/)
    },
  )

  it('refuses an endless one', () => {
    expect(() => nameConvention.bind({ name: 'x'.repeat(201) })).toThrow()
  })

  it.each(['^(billing|crm)-[a-z]+$', '^[a-z(+)*]+$', '(ab)+', '^\\(a+\\)+$', '(-[a-z]+)?$', '(a|a)*$'])(
    'takes %s',
    (name) => {
      expect(() => nameConvention.bind({ name })).not.toThrow()
    },
  )

  it('takes time that grows with the name alone, whatever the pattern', () => {
    const name = `${'a'.repeat(20_000)}!`
    expect(problemsOf(nameConvention, { name }, { options: { name: '^(a+)+$' } })).toHaveLength(1)
  })
})

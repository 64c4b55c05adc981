import { describe, expect, it } from 'vitest'
import { nameConvention } from '../../src/rules/endpoint/name-convention.ts'
import { secretWeak } from '../../src/rules/endpoint/secret-weak.ts'
import { urlPrivateAddress } from '../../src/rules/endpoint/url-private-address.ts'
import { rules } from '../../src/rules/rules.ts'

describe('the options of rules', () => {
  it.each(['(', '[a-', 'a{2,1}', '(a)\\1', '(?=a)', '((a{100}){100}){100}'])(
    'endpoint/name-convention refuses %s, which is not a regular expression that it can run',
    (name) => {
      expect(() => nameConvention.bind({ name })).toThrow(/regular expression/)
    },
  )

  it('endpoint/name-convention refuses a pattern of more than 200 characters', () => {
    expect(() => nameConvention.bind({ name: 'x'.repeat(201) })).toThrow()
  })

  it.each(['^(billing|crm)-[a-z]+$', '^[a-z(+)*]+$', '(ab)+', '^\\(a+\\)+$', '(-[a-z]+)?$', '(a|a)*$'])(
    'endpoint/name-convention takes %s',
    (name) => {
      expect(() => nameConvention.bind({ name })).not.toThrow()
    },
  )

  it('endpoint/url-private-address refuses a range that is wider than its address', () => {
    expect(() => urlPrivateAddress.bind({ allow_ranges: ['10.0.0.0/33'] })).toThrow(/range/)
  })

  it('endpoint/secret-weak refuses a length that is not the edge of a known class', () => {
    expect(() => secretWeak.bind({ min_characters: 20 })).toThrow()
  })

  it('do not belong to rules that evaluate resources together: an override could set others for some of them', () => {
    const together = rules.filter(({ scope }) => scope === 'project' || scope === 'fleet')
    expect(together.filter(({ options }) => Object.keys(options.shape).length > 0)).toEqual([])
    expect(together.length).toBeGreaterThan(0)
  })
})

describe('the packs of rules', () => {
  it('include every rule but those that need a convention of the operator', () => {
    const inNoPack = rules.filter(({ packs }) => packs.length === 0).map(({ id }) => id)
    expect(inNoPack.sort()).toEqual(['drift/outside-window', 'endpoint/name-convention', 'endpoint/owner-missing'])
  })
})

it('endpoint/orphan needs complete walks of endpoints and of subscriptions', () => {
  expect(rules.find(({ id }) => id === 'endpoint/orphan')?.needs).toEqual(['endpoint', 'subscription'])
})

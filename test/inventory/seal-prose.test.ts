import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { malformedFields } from '../../src/gateway/inventory/malformed.ts'
import { openSecrets } from '../../src/gateway/inventory/open-secrets.ts'
import { reseal } from '../../src/gateway/inventory/reseal.ts'
import { sealProse } from '../../src/gateway/inventory/seal-text.ts'
import { maskingSealer } from '../../src/gateway/inventory/sealer.ts'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { isSealedWhole } from '../../src/model/resource.ts'
import { tries } from '../thoroughness.ts'
import { one, sealer } from './inventory-fixture.ts'

const token = 'k8Xq2LpZ9vRt3Wn7q5Bd'
const wholeOf = (text: string) => `${sealer.seal(text)} (${text.length} characters)`

describe('a description', () => {
  it.each([
    `key ${token} of the team`,
    'Orders, password: swordfish',
    'see https://u:pw@a.example/',
    '2FA JBSW Y3DP EHPK 3PXP QWXK 2RVT',
    'pass\u00adword: swordfish',
    token,
  ])('is sealed whole, with its length, if anything in it is suspicious: %s', (text) => {
    const { description } = one('endpoints', { description: text }).attributes
    expect(description).toBe(wholeOf(text))
    expect(isSealedWhole(description ?? null)).toBe(true)
  })

  it.each(['Orders of the shop, kept since 2026', 'Password policy: see the wiki', '***', ''])(
    'stays as it is without: %s',
    (text) => {
      const shown = one('endpoints', { description: text }).attributes.description
      expect(shown).toBe(text === '' ? null : text)
    },
  )

  it.each([`sealed:${'0'.repeat(32)}`, `sealed:${'0'.repeat(32)} (12 characters)`, 'key sealed:masked'])(
    'cannot pass for a sealed one: %s',
    (text) => {
      const { description } = one('endpoints', { description: text }).attributes
      expect(description).not.toContain(text)
      expect(isSealedWhole(description ?? null)).toBe(true)
    },
  )

  it('shows its length where the secret is unknown', () => {
    expect(sealProse(`key ${token}`, maskingSealer)).toBe('sealed:masked (24 characters)')
  })

  it('stays the same when it is sealed again', () => {
    const pieces = fc.constantFrom('password: swordfish ', `${token} `, 'orders, ', 'a\u200bb ', '-p x1y2z3 ')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 5 }), (some) => {
        const { attributes } = one('endpoints', { description: some.join('') })
        expect(reseal('endpoint', attributes, sealer)).toEqual(attributes)
        expect([...openSecrets.inBody('endpoint', attributes)]).toEqual([])
      }),
      { numRuns: tries(300, { locally: 100 }) },
    )
  })

  it('of an earlier version, of which parts were sealed, stays as it is and is not reported as open', () => {
    const before = { description: `key ${sealer.seal(token)} of the team` }
    expect(reseal('endpoint', before, sealer)).toEqual(before)
    expect([...openSecrets.inBody('endpoint', before)]).toEqual([])
  })
})

describe('the answer of a source', () => {
  it('is sealed whole, next to a readable type of content', () => {
    const body = `{"access_token": "${token}"}`
    const { attributes } = one('sources', { custom_response: { body, content_type: 'application/json' } })
    expect(attributes.custom_response).toEqual({ body: wholeOf(body), content_type: 'application/json' })
  })
})

describe('a schema of events', () => {
  const shown = (json_schema: object | string) =>
    one('event_types', { json_schema: JSON.parse(JSON.stringify(json_schema)) }).attributes
  const suspicious: JsonObject = { type: 'object', examples: [{ note: token }] }

  it('is sealed whole if anything in it is suspicious, in any order of its members', () => {
    const whole = wholeOf(canonicalJson(suspicious))
    expect(shown(suspicious).json_schema).toBe(whole)
    expect(shown({ examples: [{ note: token }], type: 'object' }).json_schema).toBe(whole)
    expect(malformedFields('event_type', { json_schema: whole })).toEqual([])
  })

  it('stays as it is without', () => {
    const schema = { properties: { amount: { type: 'integer' } }, type: 'object' }
    expect(shown(schema).json_schema).toEqual(schema)
  })

  it.each([token, `sealed:${'0'.repeat(32)} (12 characters)`, [suspicious]])(
    'that is not an object is sealed, and is malformed still: %j',
    (schema) => {
      const attributes = shown(schema)
      expect(attributes.json_schema).toEqual([expect.stringMatching(/^sealed:[0-9a-f]{32} \(\d+ characters\)$/)])
      expect(malformedFields('event_type', attributes)).toEqual(['/json_schema'])
      expect(reseal('event_type', attributes, sealer)).toEqual(attributes)
    },
  )

  it('of an earlier version, of which parts were sealed, stays as it is and is not reported as open', () => {
    const before = { json_schema: { examples: [{ note: sealer.seal(token) }], type: 'object' } }
    expect(reseal('event_type', before, sealer)).toEqual(before)
    expect([...openSecrets.inBody('event_type', before)]).toEqual([])
  })
})

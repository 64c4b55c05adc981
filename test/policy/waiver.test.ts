import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { ProjectRef, Resource } from '../../src/model/resource.ts'
import { compileWaiver, waiverAmong } from '../../src/policy/waiver.ts'

type WaiverFields = Parameters<typeof compileWaiver>[0]

const project: ProjectRef = { name: 'acme/payments', service: 'acme', uid: 'p1' }

function aWaiver(other: Partial<WaiverFields> = {}) {
  return compileWaiver({
    rule: 'endpoint/inactive',
    match: { kind: 'endpoint' },
    owner: 'payments team',
    reason: 'moves in spring',
    expires: '2026-12-31',
    ...other,
  })
}

function anEndpoint(attributes: JsonObject = {}, name = 'orders'): Resource {
  return { kind: 'endpoint', uid: 'e1', name, attributes, volatile: {}, facts: {} }
}

describe('a waiver', () => {
  it.each([
    ['endpoint/inactive', 'endpoint/inactive', true],
    ['endpoint/*', 'endpoint/inactive', true],
    ['endpoint/*', 'source/disabled', false],
    ['endpoint/inactive', 'endpoint/inactive-long', false],
  ])('for %s covers violations of %s: %s', (rule, id, isCovered) => {
    expect(aWaiver({ rule }).covers(id)).toBe(isCovered)
  })

  it('accepts the resources that its selector takes', () => {
    const waiver = aWaiver({ match: { name: 'orders', labels: { env: 'prod' } } })
    expect(waiver.accepts(project, { env: 'prod' }, anEndpoint())).toBe(true)
    expect(waiver.accepts(project, { env: 'prod' }, anEndpoint({}, 'payments'))).toBe(false)
    expect(waiver.accepts(project, { env: 'test' }, anEndpoint())).toBe(false)
    expect(waiver.reaches(project, { env: 'prod' })).toBe(true)
    expect(waiver.reaches(project, { env: 'test' })).toBe(false)
  })

  it('with a value accepts only resources with this value', () => {
    const waiver = aWaiver({ path: '/tls/versions', value: { min: '1.0', max: '1.2' } })
    const showing = (tls: JsonObject) => waiver.accepts(project, {}, anEndpoint({ tls }))
    expect(showing({ versions: { max: '1.2', min: '1.0' } })).toBe(true)
    expect(showing({ versions: { min: '1.0', max: '1.3' } })).toBe(false)
    expect(showing({ versions: null })).toBe(false)
    expect(showing({})).toBe(false)
    expect(waiver.accepts(project, {}, anEndpoint())).toBe(false)
  })

  it('with a value accepts no value of an earlier scan, and says that it may be there', () => {
    const waiver = aWaiver({ path: '/tls/versions', value: '1.3' })
    const seen = anEndpoint({ tls: { versions: '1.3' } })
    const carried = { ...seen, unseen: ['/tls'] }
    const unknownOf = (resource: Resource) => waiver.unknownOf(project, {}, resource)
    expect(waiver.accepts(project, {}, carried)).toBe(false)
    expect([carried, { ...carried, unseen: ['/url'] }, seen].map(unknownOf)).toEqual([['/tls'], [], []])
    expect(aWaiver().unknownOf(project, {}, carried)).toEqual([])
  })

  it('for a host accepts no host of an earlier scan, and says that it may be there', () => {
    const waiver = aWaiver({ match: { url_host: 'old.example.com' } })
    const seen = anEndpoint({ url: 'https://old.example.com/x' })
    const carried = { ...seen, unseen: ['/url'] }
    expect([seen, carried].map((resource) => waiver.accepts(project, {}, resource))).toEqual([true, false])
    expect([seen, carried].map((resource) => waiver.unknownOf(project, {}, resource))).toEqual([[], ['/url']])
  })

  it('with the value null accepts null, and not a missing attribute', () => {
    const waiver = aWaiver({ path: '/owner_id', value: null })
    expect(waiver.accepts(project, {}, anEndpoint({ owner_id: null }))).toBe(true)
    expect(waiver.accepts(project, {}, anEndpoint())).toBe(false)
  })

  it('repeats no credential that a person wrote into it', () => {
    const written = 'whsec_0123456789abcdef'
    const { terms } = aWaiver({ reason: `uses ${written}`, ticket: `https://bot:${written}@tracker.example/7` })
    expect(terms.reason).toBe('uses sealed:masked')
    expect(terms.ticket).toBe('https://sealed:masked@tracker.example/7')
  })

  it('keeps its uid when it is renewed or reworded', () => {
    const { uid } = aWaiver()
    expect(uid).toMatch(/^[0-9a-f]{16}$/)
    expect(aWaiver({ expires: '2027-03-31', owner: 'crm', reason: 'later', ticket: 'OPS-1' }).uid).toBe(uid)
  })

  it('has another uid for another rule, selector, path or value', () => {
    const uids = [
      aWaiver(),
      aWaiver({ rule: 'endpoint/*' }),
      aWaiver({ match: { kind: 'source' } }),
      aWaiver({ path: '/url', value: 'a' }),
      aWaiver({ path: '/url', value: 'b' }),
      aWaiver({ path: '/name', value: 'a' }),
    ].map(({ uid }) => uid)
    expect(new Set(uids).size).toBe(uids.length)
  })

  it('is named by its rule, its selector and its value', () => {
    expect(aWaiver().name).toBe('endpoint/inactive for kind endpoint')
    expect(aWaiver({ path: '/url', value: 'a' }).name).toBe('endpoint/inactive for kind endpoint, one value at /url')
    expect(aWaiver().match).toBe('kind endpoint')
    expect(aWaiver().rule).toBe('endpoint/inactive')
  })

  it('lasts to the end of its last day, and carries its terms', () => {
    const terms = { owner: 'payments team', reason: 'moves in spring', expires: '2027-01-01T00:00:00.000Z' }
    expect(aWaiver().terms).toEqual(terms)
    expect(aWaiver({ ticket: 'OPS-1' }).terms).toEqual({ ...terms, ticket: 'OPS-1' })
    expect(aWaiver().until).toBe(Date.parse('2027-01-01T00:00:00Z'))
  })

  it('with a time that its schema would refuse cannot be compiled', () => {
    expect(() => aWaiver({ expires: 'soon' })).toThrow('the schema let soon pass')
  })
})

describe('the active waiver', () => {
  const first = aWaiver({ expires: '2026-12-01' })
  const last = aWaiver({ expires: '2026-12-24' })
  const between = aWaiver({ expires: '2026-12-10' })

  it('is the one that lasts longest, in any order', () => {
    const now = Date.parse('2026-11-21T00:00:00Z')
    expect(waiverAmong([first, last, between], now)).toBe(last)
    expect(waiverAmong([last, first], now)).toBe(last)
    expect(waiverAmong([first], now)).toBe(first)
  })

  it('is the first of several that end together', () => {
    const twin = aWaiver({ expires: '2026-12-24', owner: 'crm' })
    expect(waiverAmong([last, twin], 0)).toBe(last)
  })

  it('has not ended at that moment', () => {
    expect(waiverAmong([first], first.until - 1)).toBe(first)
    expect(waiverAmong([first], first.until)).toBeUndefined()
    expect(waiverAmong([first, last], first.until)).toBe(last)
    expect(waiverAmong([first, last], last.until)).toBeUndefined()
  })

  it('does not exist without waivers', () => {
    expect(waiverAmong([], 0)).toBeUndefined()
  })
})

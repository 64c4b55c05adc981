import { describe, expect, it } from 'vitest'
import { displayText } from '../../src/model/exact-number.ts'
import type { Json, JsonObject } from '../../src/model/json.ts'
import { policyOf } from './audit-harness.ts'
import { anEndpoint, aProject, aSubscription, openLiteral, type Shown } from './literal-service.ts'

/** As written, and another number with the same double. */
const pairs = [
  ['1234567890123456789', '1234567890123456788'],
  ['-9007199254740993', '-9007199254740995'],
  ['1e400', '-1e400'],
  ['1e-400', '-1e-400'],
  ['0.12345678901234567890', '0.12345678901234567891'],
] as const

/** Places for a number, and its path there. */
const places: Readonly<Record<string, readonly [path: string, show: (number: string) => Shown]>> = {
  'a filter': ['/filter_config/filter/body/account_id', (number) => aFilter(`{"account_id":${number}}`)],
  'a list within a filter': [
    '/filter_config/filter/body/amount/$in',
    (number) => aFilter(`{"amount":{"$in":[[1,{"deep":${number}}]]}}`),
  ],
  'an unknown field': [
    '/shard',
    (number) => ({ endpoints: [withNumber(anEndpoint('EP-1', { shard: hole }), number)] }),
  ],
  'a field for integers': [
    '/rate_limit',
    (number) => ({ endpoints: [withNumber(anEndpoint('EP-1', { rate_limit: hole }), number)] }),
  ],
  'the configuration of a project': [
    '/config/max_payload_read_size',
    (number) => ({ project: withNumber({ ...aProject, config: { max_payload_read_size: hole } }, number) }),
  ],
}

const hole = '«number»'

function withNumber(item: JsonObject, number: string): string {
  return JSON.stringify(item).replace(`"${hole}"`, number)
}

function aFilter(body: string): Shown {
  const filter = { body: hole, headers: {}, query: {}, path: {}, is_flattened: false }
  const subscription = aSubscription('SUB-1', 'EP-1', { filter_config: { event_types: ['a.b'], filter } })
  return { endpoints: [anEndpoint('EP-1')], subscriptions: [withNumber(subscription, body)] }
}

describe.each(Object.entries(places))('numbers in %s', (_, [path, show]) => {
  it.each(pairs)('%s and %s differ and are stored exactly as sent', async (one, other) => {
    await using fixture = await openLiteral({ endpoints: [anEndpoint('EP-1')], ...show(one) })
    await fixture.audit()
    expect((await fixture.audit()).drift).toEqual([])
    fixture.show(show(other))
    const { drift } = await fixture.audit()
    expect(drift.flatMap(({ fields }) => fields.map((field) => field.path))).toEqual([path])
    expect(JSON.stringify(drift)).toContain(`number:${one}`)
    expect(JSON.stringify(drift)).toContain(`number:${other}`)
  })

  it('another spelling of a number that fits a double causes no drift', async () => {
    await using fixture = await openLiteral({ endpoints: [anEndpoint('EP-1')], ...show('100') })
    await fixture.audit()
    for (const same of ['100.0', '1e2', '1.00E+2', '100.000000000000000000000']) {
      fixture.show(show(same))
      expect((await fixture.audit()).drift, same).toEqual([])
    }
    fixture.show(show('101'))
    expect((await fixture.audit()).drift).toHaveLength(1)
  })
})

it('a number and a text of its digits differ, and so does a text that looks like a stored number', async () => {
  const values = ['1234567890123456789', '"1234567890123456789"', '"number:1234567890123456789"']
  const shows = values.map((value) => aFilter(`{"order":${value}}`))
  await using fixture = await openLiteral(shows[0])
  await fixture.audit()
  const seen: Json[] = []
  for (const [next] of [[1], [2], [0]] as const) {
    fixture.show(shows[next] ?? {})
    const { drift } = await fixture.audit()
    seen.push(
      ...drift.flatMap(({ fields }) =>
        fields.map(({ after }) => (typeof after === 'string' ? displayText(after) : after)),
      ),
    )
  }
  expect(seen).toEqual(['1234567890123456789', 'number:1234567890123456789', '1234567890123456789'])
})

it('a number that is lost and restored exactly leaves no violation, and a relaxed bound is reported with its digits', async () => {
  const policy = policyOf('extends: []\nrules: { drift/filter-widened: {} }')
  await using fixture = await openLiteral(aFilter('{"amount":{"$gt":1234567890123456789}}'))
  await fixture.audit({ policy })
  fixture.show(aFilter('{"amount":{"$gt":1234567890123456788}}'))
  const { violations } = await fixture.audit()
  expect(violations.map(({ rule, message }) => `${rule}: ${message}`).join()).toMatch(
    /^drift\/filter-widened: .* is 1234567890123456788 \(was 1234567890123456789\)$/,
  )
})

describe('a custom rule', () => {
  const policy = (assert: string) =>
    policyOf(`
extends: []
custom:
  - id: acme/account
    kind: subscription
    assert: "${assert}"
    severity: high
    message: "account {resource.filter_config.filter.body.account_id}"
`)

  it.each([
    ['1234567890123456789', 'resource.filter_config.filter.body.account_id == 1234567890123456788'],
    ['1234567890123456789', 'resource.filter_config.filter.body.account_id < 9'],
    ['-9223372036854775808', 'resource.filter_config.filter.body.account_id > 0'],
    ['1e400', 'resource.filter_config.filter.body.account_id < 1.0'],
    ['12345678901234567890123', 'resource.filter_config.filter.body.account_id < 9.0'],
  ])('evaluates %s as a number', async (number, assert) => {
    await using fixture = await openLiteral(aFilter(`{"account_id":${number}}`))
    const { violations, notices } = await fixture.audit({ policy: policy(assert) })
    expect(notices).toEqual([])
    expect(violations.map(({ rule }) => rule)).toEqual(['acme/account'])
    if (number.length < 21 && !number.includes('e')) expect(violations[0]?.message).toBe(`account ${number}`)
  })
})

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { ProjectRef, Resource } from '../../src/model/resource.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { trackReads } from '../../src/policy/watch-reads.ts'
import type { Drift } from '../../src/rules/engine/rule.ts'
import { evaluateFleet } from './evaluate-fleet.ts'

const project: ProjectRef = { name: 'acme/p', service: 'acme', uid: 'p' }
const doubts = { url: { cause: 'unseen', run: 7, at: '2026-11-21T03:00:00.000Z' } } as const

function endpoint(attributes: JsonObject, unseen: readonly string[] = []): Resource {
  return { kind: 'endpoint', uid: 'e', name: 'e', attributes, volatile: {}, facts: {}, unseen, doubts }
}

/** What differs of it from a state before. */
function modified({ kind, uid, name, attributes }: Resource, compared: Pick<Drift, 'before' | 'fields'>): Drift {
  const { before, fields } = compared
  const usual = { isApproved: false, areSealsComparable: true, recent: new Map() }
  return { kind, uid, name, change: 'modified', before, after: attributes, fields, ...usual }
}

const evaluatorOf = (policy: string) =>
  evaluateFleet(
    readPolicy('policy.yaml', () => policy),
    0,
  )

it.each([
  ['carried from before', { status: 'active', url: 'https://a.example' }],
  ['never seen', { status: 'active' }],
])('a resource with fields that no answer showed records when one is read: %s', (_, attributes) => {
  const reads = (read: (seen: JsonObject) => unknown) => {
    const { seen, read: pointers } = trackReads(endpoint(attributes, ['/url']))
    read(seen.attributes)
    return [...pointers]
  }
  expect(reads(({ url }) => url)).toEqual(['/url'])
  expect(reads((seen) => 'url' in seen && seen.url)).toEqual(['/url'])
  expect(reads(({ status }) => status)).toEqual([])
  // Whether it is among the members is all that is unknown to who lists them, unless a value was carried.
  expect(reads((seen) => Object.keys(seen))).toEqual('url' in attributes ? [] : ['/url'])
  expect(reads((seen) => Object.hasOwn(seen, 'url'))).toEqual('url' in attributes ? [] : ['/url'])
  expect(JSON.stringify(trackReads(endpoint(attributes, ['/url'])).seen.attributes)).toBe(JSON.stringify(attributes))
})

describe('a drift rule', () => {
  const policy = 'extends: []\nrules: { drift/unexpected: {} }'
  const before = { url: 'https://approved.example', status: 'active' }
  const drift: Drift = {
    kind: 'endpoint',
    uid: 'e',
    name: 'e',
    change: 'modified',
    before,
    isApproved: true,
    areSealsComparable: true,
    recent: new Map(),
    after: { ...before, url: 'https://carried.example' },
    fields: [{ path: '/url', before: before.url, after: 'https://carried.example' }],
  }

  it('says nothing of a value that was carried, and its silence proves nothing', () => {
    const ofProject = evaluatorOf(policy).of(project)
    expect(ofProject.compare(endpoint(drift.after ?? {}, ['/url']), drift)).toEqual([])
    expect(ofProject.outcome().doubts['drift/unexpected']).toEqual({
      resources: ['endpoint e'],
      kinds: [],
      fields: [
        {
          kind: 'endpoint',
          field: 'url',
          cause: 'unseen',
          resources: 1,
          uids: ['e'],
          since: { run: 7, at: '2026-11-21T03:00:00.000Z' },
        },
      ],
    })
  })

  it('says what it finds in fields that were shown', () => {
    const fields = [{ path: '/status', before: 'active', after: 'paused' }]
    const ofProject = evaluatorOf(policy).of(project)
    const found = ofProject.compare(endpoint(drift.after ?? {}, ['/url']), { ...drift, fields })
    expect(found.map(({ path, message }) => [path, message])).toEqual([
      ['', '1 field differs from the approved baseline: /status is "paused" (approved: "active")'],
    ])
  })
})

describe('a subscription whose filter rows were due and not read', () => {
  const filter_config = { event_types: ['*', 'a '], filter: { body: { x: { $in: [] } } } }
  const unread = (attributes: JsonObject): Resource => ({
    kind: 'subscription',
    uid: 's',
    name: 's',
    volatile: {},
    facts: {},
    unseen: ['/filters'],
    attributes: { endpoint_uid: 'e', filter_config, ...attributes },
  })
  const about =
    'duplicate event-type-odd filter-diverges filter-failing filter-off filter-unsatisfiable no-filter wildcard wildcard-mixed'
      .split(' ')
      .map((rule) => `subscription/${rule}`)
  const policyFor = (rules: readonly string[]) =>
    JSON.stringify({ extends: [], rules: Object.fromEntries(rules.map((rule) => [rule, {}])) })

  it.each([
    ['never', {}],
    ['in an earlier scan', { filters: {} }],
  ])('is unknown to every rule about what it is delivered, where they were read %s', async (_, attributes) => {
    const ofProject = evaluatorOf(policyFor(about)).of(project)
    expect(ofProject.evaluate(unread(attributes))).toEqual([])
    expect(ofProject.conclude({ isComplete: () => true })).toEqual([])
    expect(Object.keys(ofProject.outcome().doubts).sort()).toEqual(about)
  })

  it('takes no finding about another subscription away from rules that compare with the catalogue', () => {
    const rules = ['subscription/event-type-deprecated']
    const ofProject = evaluatorOf(policyFor(rules)).of(project)
    const known = (kind: Resource['kind'], uid: string, attributes: JsonObject): Resource => {
      return { kind, uid, name: uid, attributes, volatile: {}, facts: {} }
    }
    ofProject.evaluate(known('event_type', 't0', { name: '*' }))
    ofProject.evaluate(known('event_type', 't1', { name: 'old', deprecated_at: '2026-11-21T03:00:00Z' }))
    ofProject.evaluate(unread({ filters: { old: {} } }))
    ofProject.evaluate(known('subscription', 'other', { filter_config: { event_types: ['old', 'lost'] }, filters: {} }))
    const found = ofProject.conclude({ isComplete: () => true })
    expect(found.map(({ rule, uid }) => [rule, uid])).toEqual(rules.map((rule) => [rule, 'other']))
    expect(Object.keys(ofProject.outcome().doubts).sort()).toEqual(rules)
  })

  it('is known to other rules', () => {
    const ofProject = evaluatorOf(policyFor(['subscription/at-most-once', 'drift/function-changed'])).of(project)
    const resource = unread({ delivery_mode: 'at_most_once', function: 'b', filters: { a: {} } })
    expect(ofProject.evaluate(resource)).toHaveLength(1)
    const fields = [
      { path: '/filters/a', before: null, after: {} },
      { path: '/function', before: 'a', after: 'b' },
    ]
    const found = ofProject.compare(resource, modified(resource, { before: {}, fields }))
    expect(found.map(({ path }) => path)).toEqual(['/function'])
    expect(ofProject.outcome().doubts).toEqual({})
  })

  it('is unknown to drift rules about rows; one compares what is declared where the earlier state has no rows', () => {
    const rules = ['drift/filter-removed', 'drift/filter-widened']
    const found = (before: JsonObject) => {
      const ofProject = evaluatorOf(policyFor(rules)).of(project)
      const resource = unread({})
      const findings = ofProject.compare(resource, modified(resource, { before, fields: [] }))
      return [findings.map(({ path }) => path), Object.keys(ofProject.outcome().doubts).sort()]
    }
    const declared = { filter_config: { event_types: ['b'] } }
    expect(found({ ...declared, filters: { b: {} } })).toEqual([[], rules])
    expect(found(declared)).toEqual([['/filter_config/event_types'], ['drift/filter-removed']])
  })
})

it('a rule of the policy does not evaluate what it cannot read', () => {
  const ofProject = evaluatorOf(`
extends: []
custom:
  - { id: acme/tls, kind: endpoint, assert: "resource.url.startsWith('https') || true == false", severity: high, message: m }
  - { id: acme/on, kind: endpoint, assert: "resource.status == 'on'", severity: high, message: m }
`).of(project)
  for (const attributes of [{ status: 'active' }, { status: 'active', url: 'http://carried.example' }]) {
    const found = ofProject.evaluate(endpoint(attributes, ['/url']))
    expect(found.map(({ rule }) => rule)).toEqual(['acme/on'])
  }
  expect(Object.keys(ofProject.outcome().doubts)).toEqual(['acme/tls'])
})

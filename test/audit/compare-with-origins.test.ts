import { describe, expect, it } from 'vitest'
import { compareWithOrigins, type FollowedViolation } from '../../src/audit/compare-with-origins.ts'
import { noChanges } from '../../src/audit/recent-changes.ts'
import { diffAttributes } from '../../src/gateway/inventory/diff-attributes.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { ProjectRef, Resource } from '../../src/model/resource.ts'
import { evaluateFleet } from '../policy/evaluate-fleet.ts'
import { policyOf } from './audit-harness.ts'

const project: ProjectRef = { name: 'acme/p', service: 'acme', uid: 'p' }
const policy = policyOf('extends: []\nrules: { drift/filter-removed: {}, drift/filter-widened: {} }')
const subscription = (filters: JsonObject): Resource => ({
  kind: 'subscription',
  uid: 's',
  name: 's',
  volatile: {},
  facts: {},
  attributes: { filters },
})

/** What a run finds that shows `now`: `last` is the last scan, `origin` what it was when the violation opened. */
function findings(
  { origin, last, now }: { readonly origin: JsonObject; readonly last: JsonObject; readonly now: JsonObject },
  isActive = true,
): string[] {
  const ofProject = evaluateFleet(policy, 0).of(project)
  const drift = (before: JsonObject, after: JsonObject) => ({
    ...({ kind: 'subscription', uid: 's', name: 's', change: 'modified', isApproved: false } as const),
    areSealsComparable: true,
    recent: noChanges,
    before: { filters: before },
    after: { filters: after },
    fields: diffAttributes('subscription', { filters: before }, { filters: after }, { sealsComparable: true }),
  })
  const opened = ofProject
    .compare(subscription(last), drift(origin, last), 1)
    .map((finding): FollowedViolation => ({ ...finding, originRun: 1, first_seen: '1970-01-01T00:00:00Z', isActive }))
  const origins = compareWithOrigins(opened, {
    now: 0,
    sealer: { keyId: 'k' },
    ofProject,
    ignored: [],
    approvalOf: () => undefined,
    at: () => ({ attributes: { filters: origin }, sealKeyId: 'k', since: '', fromRun: 1 }),
    reform: (_, attributes) => attributes,
  })
  const found = ofProject.compare(subscription(now), drift(last, now), 2)
  const decided = origins.decide([subscription(now)], found)
  return decided.map(({ rule, message }) => `${rule} ${message}`)
}

describe('a change back to the origin of a violation', () => {
  it('is not a violation of another rule', () => {
    const origin = { a: {}, b: { body: { x: 1 } } }
    expect(findings({ origin, last: { b: { body: { x: 1 } } }, now: origin })).toEqual([])
    expect(findings({ origin, last: { a: { enabled_at: null }, b: origin.b }, now: origin })).toEqual([])
  })

  it('is not one either where only a part of it is back', () => {
    expect(findings({ origin: { a: {}, b: {} }, last: {}, now: { a: {} } })).toEqual([
      'drift/filter-removed 1 event type no longer delivered: `b` (filter row removed)',
    ])
  })

  it('is one where it goes beyond the origin', () => {
    const widened = 'drift/filter-widened filter rows let through'
    const origin = { a: { body: { x: 1 } } }
    expect(findings({ origin, last: {}, now: { a: { body: { x: 1 } }, b: {} } })).toEqual([
      `${widened} 2 more event types: \`a\`, \`b\``,
    ])
    expect(findings({ origin, last: {}, now: { a: { body: {} } } })).toEqual([`${widened} 1 more event type: \`a\``])
  })

  it('is one where the violation was accepted, so that the changed value became the usual one', () => {
    expect(findings({ origin: { a: {} }, last: {}, now: { a: {} } }, false)).toEqual([
      'drift/filter-widened filter rows let through 1 more event type: `a`',
    ])
  })
})

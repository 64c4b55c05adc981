import { describe, expect, it } from 'vitest'
import type { Comparison } from '../../src/audit/comparison.ts'
import { KnownVersions } from '../../src/audit/known-versions.ts'
import type { ProjectBefore } from '../../src/audit/project-before.ts'
import type { ProjectScan } from '../../src/audit/project-scan.ts'
import { yesterdayOf } from '../../src/audit/yesterday.ts'
import { maskingSealer } from '../../src/gateway/inventory/sealer.ts'
import type { OtherRules, ViolationWithOrigin } from '../../src/history/staged.ts'
import { readStoredVersion, type StoredVersion } from '../../src/history/stored-body.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Kind, ProjectRef } from '../../src/model/resource.ts'
import type { Finding } from '../../src/model/violation.ts'
import { createEvaluator } from '../../src/policy/evaluator.ts'
import { policyOf } from './audit-harness.ts'

const project: ProjectRef = { name: 'acme/p', service: 'acme', uid: 'p' }

interface Case {
  readonly rule: string
  readonly path: string
  readonly kind?: Kind
  /** As the last scan, run 2, left the resource; `origin`: as run 1 did. */
  readonly was: JsonObject
  readonly origin?: JsonObject
  /** As this run, 3, leaves it. */
  readonly is: JsonObject
  /** Default: the rule by its defaults. */
  readonly policy?: string
  /** How run 2 evaluated; default: by another policy. undefined: as this run does. */
  readonly other?: OtherRules | undefined
}

const otherPolicy: OtherRules = { isPolicyAlike: false, version: '2.0.0' }
const otherProgram: OtherRules = { isPolicyAlike: true, version: '2.0.0' }

/** How the policy ended a silent violation: by its reason; or whether it did not. */
function endingOf(one: Case): string {
  const { rule, path, kind = 'endpoint', was, origin, is, policy = `rules: { ${rule}: {} }` } = one
  const evaluator = createEvaluator(policyOf(`extends: []\n${policy}`), 3)
  const stored = (attributes: JsonObject, fromRun: number): StoredVersion => ({
    name: 'a',
    fromRun,
    since: '1970-01-01T00:00:00.002Z',
    sealKeyId: 'k',
    normaliser: 1,
    body: JSON.stringify(attributes),
    facts: '',
  })
  const current = { ...stored(was, origin === undefined ? 1 : 2), id: 1, kind, uid: 'e', digest: '' }
  const versions = new KnownVersions([current])
  versions.takeEnded([current], origin === undefined ? [] : [{ ...stored(origin, 1), kind, uid: 'e', toRun: 2 }])
  const finding: Finding = { rule, path, kind, uid: 'e', name: 'a', severity: 'high', message: 'm' }
  const followed: ViolationWithOrigin = {
    ...finding,
    ...({ id: 1, fingerprint: 'f', state: 'open', waiver: undefined, firstRun: 2, lastRun: undefined } as const),
    ...({ originRun: 1, first_seen: '1970-01-01T00:00:00.002Z', isActive: true } as const),
  }
  const other = 'other' in one ? one.other : otherPolicy
  const before: ProjectBefore = {
    versions,
    lastScan: 2,
    lastComplete: {},
    history: { shapes: {}, modifications: [], withOrigin: origin === undefined ? [] : [followed] },
    violations: [],
    acceptances: [],
    expected: undefined,
    approval: undefined,
    otherRules: new Map(other === undefined ? [] : [[2, other]]),
    withheld: new Map(),
    unreferenced: new Map(),
    items: undefined,
    rows: undefined,
  }
  const scan: ProjectScan = {
    project,
    run: 3,
    now: 3,
    sealer: maskingSealer,
    filters: {},
    ignored: [],
    windows: [],
    before,
    lastComplete: {},
    at: (resource, run) => versions.at(resource, run),
  }
  const nothing: Comparison = {
    isApproved: () => false,
    compare: () => ({ compared: [], resealed: [] }),
    compareMissing: () => ({ gone: [], unobserved: [], uncomparedSeals: 0 }),
  }
  const yesterday = yesterdayOf(scan, {
    evaluator,
    evaluatorAt: () => evaluator,
    startOf: () => '1970-01-01T00:00:00.002Z',
    compareWith: () => nothing,
    reform: (_, attributes) => attributes,
    asLeft: () => readStoredVersion(stored(is, 3)),
  })
  const ending = yesterday.endingOf(finding)
  return ending === undefined ? 'not by the policy' : ending === 'unknown' ? ending : `${ending.ended_by?.reason}`
}

const timeout = { rule: 'endpoint/timeout-high', path: '/http_timeout', is: { http_timeout: 30 } } as const
const upTo = (seconds: number) => `rules: { endpoint/timeout-high: { max_seconds: ${seconds} } }`
const rate = { rule: 'endpoint/failure-rate-high', path: '/failure_rate' } as const
const less = 'the rule is on but requires less'
const mended = 'not by the policy'

describe('a violation that another policy found last, and that is silent now', () => {
  it.each<[string, Case, string]>([
    [
      'is mended where today finds it in the state before',
      { ...timeout, was: { http_timeout: 90 }, policy: upTo(60) },
      mended,
    ],
    [
      'was ended by the policy where today does not',
      { ...timeout, was: { http_timeout: 90 }, policy: upTo(100) },
      less,
    ],
    [
      'was ended by a later version of the rule where the policy is the same',
      { ...timeout, was: { http_timeout: 90 }, policy: upTo(100), other: otherProgram },
      'the rule changed in version 2.0.0',
    ],
    [
      'is mended where the same policy and program found it',
      { ...timeout, was: { http_timeout: 90 }, policy: upTo(100), other: undefined },
      mended,
    ],
    [
      'is unknown where the value before cannot be evaluated',
      { ...timeout, was: { http_timeout: 'x' }, policy: upTo(60) },
      'unknown',
    ],
    [
      'of a drift rule is mended where its value was weaker than at the origin',
      {
        rule: 'drift/verification-weakened',
        path: '/verifier',
        kind: 'source',
        origin: { verifier: { type: 'hmac', hash: 'SHA256', header: 'h', encoding: 'hex', secret: null } },
        was: { verifier: { type: 'noop' } },
        is: { verifier: { type: 'hmac', hash: 'SHA256', header: 'h', encoding: 'hex', secret: null } },
      },
      mended,
    ],
    [
      'of a drift rule was ended by the policy where its value was as strong as at the origin',
      {
        rule: 'drift/verification-weakened',
        path: '/verifier',
        kind: 'source',
        origin: { verifier: { type: 'noop' } },
        was: { verifier: { type: 'noop' } },
        is: { verifier: { type: 'noop' } },
      },
      less,
    ],
    [
      'of what no history keeps is mended where something changed',
      { ...rate, was: { url: 'https://a.example' }, is: { url: 'https://b.example' } },
      mended,
    ],
    [
      'of what no history keeps was ended by the policy where nothing did',
      { ...rate, was: { url: 'https://a.example' }, is: { url: 'https://a.example' } },
      less,
    ],
    [
      'under an override is evaluated by what the resource is called today',
      {
        ...timeout,
        was: { http_timeout: 90, name: 'a' },
        is: { http_timeout: 90, name: 'test-a' },
        policy: `${upTo(60)}\noverrides: [{ match: { name: 'a' }, rules: { endpoint/timeout-high: { max_seconds: 100 } } }]`,
        other: undefined,
      },
      mended,
    ],
  ])('%s', (_, one, expected) => {
    expect(endingOf(one)).toBe(expected)
  })
})

import { describe, expect, it } from 'vitest'
import { byKey, type Criteria, keyed, keyOf, type ReconcilableViolation, reconcile } from '../../src/audit/reconcile.ts'
import { decidedAt, decidedBy, type Ending } from '../../src/model/ending.ts'
import type { Kind } from '../../src/model/resource.ts'
import type { Finding, Resolution, Waiver } from '../../src/model/violation.ts'
import type { Needs } from '../../src/policy/policy.ts'

const waiver: Waiver = { owner: 'payments team', reason: 'moves soon', expires: '2026-12-01T00:00:00.000Z' }
const finding = (more: Partial<Finding> = {}): Finding => ({
  rule: 'of/one',
  severity: 'medium',
  kind: 'endpoint',
  uid: 'e1',
  name: 'orders',
  path: '/url',
  message: 'bad',
  ...more,
})
const active = (more: Partial<ReconcilableViolation> = {}): ReconcilableViolation => ({
  ...finding(),
  state: 'open',
  ...more,
})

const override = decidedAt('override', { reason: null, configuredAt: { file: 'policy.yaml', line: 12 } })
const byOverride: Ending = { resolution: 'policy', ended_by: override }
const accepted: Ending = {
  resolution: 'accepted',
  ended_by: decidedBy('acceptance', { by: 'nora', at: '2026-11-24T09:00:00.000Z', reason: 'the receiver moved' }),
}
const approval = decidedBy('baseline', { by: 'eve', at: '2026-11-24T09:00:00.000Z', reason: 'the new state' })
const expired: Ending = { resolution: 'expired', ended_by: decidedAt('expiry', { reason: null, configuredAt: null }) }

const scopes: Readonly<Record<string, Needs>> = {
  'of/one': { scope: 'resource', kinds: ['endpoint'] },
  'of/project': { scope: 'project', kinds: ['endpoint', 'subscription'] },
  'of/fleet': { scope: 'fleet', kinds: ['endpoint'] },
  'of/drift': { scope: 'drift', kinds: ['endpoint', 'source'] },
  'of/scan': { scope: 'scan', kinds: ['project'] },
}

interface Scan {
  /** Kinds that a scan of some scope did not see well enough; `*`: of all scopes. */
  readonly unseen?: Readonly<Partial<Record<Needs['scope'] | '*', readonly Kind[]>>>
  readonly failed?: readonly string[]
  readonly inDoubt?: readonly string[]
  readonly unobserved?: readonly string[]
  readonly endings?: Readonly<Record<string, Ending>>
  /** Rules that an override has off for the resource. */
  readonly off?: readonly string[]
  /** How violations ended that are not mended, by key. */
  readonly notMended?: Readonly<Record<string, Ending>>
  /** Resources that are as a person approved them. */
  readonly approved?: readonly string[]
  readonly removed?: readonly string[]
}

function criteria({ unseen = {}, failed = [], inDoubt = [], unobserved = [], ...scan }: Scan = {}): Criteria {
  const { endings = {}, removed = [], off = [], notMended = {}, approved = [] } = scan
  const isComplete = (scope: Needs['scope']) => (kind: Kind) =>
    !(unseen[scope] ?? []).includes(kind) && !(unseen['*'] ?? []).includes(kind)
  return {
    needs: new Map(Object.entries(scopes)),
    isComplete: {
      resource: isComplete('resource'),
      drift: isComplete('drift'),
      scan: isComplete('scan'),
      project: isComplete('project'),
      fleet: isComplete('fleet'),
      violations: isComplete('violations'),
    },
    hasFailed: (rule) => failed.includes(rule),
    isInDoubt: (rule) => inDoubt.includes(rule),
    isUnobserved: ({ uid }) => unobserved.includes(uid),
    endings: new Map(Object.entries(endings)),
    approvedBy: ({ uid }) => (approved.includes(uid) ? approval : undefined),
    isRemoved: ({ uid }) => removed.includes(uid),
    endingOf: (violation) => notMended[keyOf(violation)],
    switchOf: ({ rule }) => ({ isOff: off.includes(rule), ended_by: override }),
  }
}

const decide = (known: readonly ReconcilableViolation[], found: readonly Finding[], scan?: Scan) =>
  reconcile(byKey(known), found.map(keyed), criteria(scan))

describe('a violation that is found again', () => {
  it.each([
    ['the same words', active(), finding(), true],
    ['another message', active({ message: 'worse' }), finding(), false],
    ['another severity', active({ severity: 'low' }), finding(), false],
    ['another name of its resource', active({ name: 'payments' }), finding(), false],
    ['being unknown before', active({ state: 'unknown' }), finding(), false],
    ['a waiver now', active(), finding({ waiver }), false],
    ['the same waiver', active({ state: 'waived', waiver }), finding({ waiver: { ...waiver } }), true],
    [
      'a waiver of another end',
      active({ state: 'waived', waiver }),
      finding({ waiver: { ...waiver, expires: 'x' } }),
      false,
    ],
    [
      'a waiver of another owner',
      active({ state: 'waived', waiver }),
      finding({ waiver: { ...waiver, owner: 'x' } }),
      false,
    ],
    [
      'a waiver for another reason',
      active({ state: 'waived', waiver }),
      finding({ waiver: { ...waiver, reason: 'x' } }),
      false,
    ],
    [
      'a waiver with a ticket now',
      active({ state: 'waived', waiver }),
      finding({ waiver: { ...waiver, ticket: 'T-1' } }),
      false,
    ],
    ['no waiver since', active({ state: 'waived', waiver }), finding(), false],
  ])('is confirmed with %s', (_, violation, again, isUnchanged) => {
    const { confirmed, opened, resolved, unknown } = decide([violation], [again])
    expect(confirmed).toEqual([{ violation, finding: again, isUnchanged }])
    expect([opened, resolved, unknown]).toEqual([[], [], []])
  })

  it('is confirmed even when coverage is bad', () => {
    const { confirmed } = decide([active()], [finding()], { unseen: { '*': ['endpoint'] }, unobserved: ['e1'] })
    expect(confirmed.map(({ isUnchanged }) => isUnchanged)).toEqual([true])
  })

  it('is confirmed once, by the first of several findings', () => {
    const { confirmed, opened } = decide([active()], [finding(), finding({ message: 'again' })])
    expect([confirmed.length, opened]).toEqual([1, []])
  })

  it.each([
    ['of a partial scan that says less', 'of/project', 'low', { unseen: { project: ['subscription'] } }, 'high many'],
    [
      'of a partial scan that says worse',
      'of/project',
      'critical',
      { unseen: { project: ['subscription'] } },
      'critical few',
    ],
    [
      'of a partial scan that rates it the same',
      'of/project',
      'high',
      { unseen: { project: ['subscription'] } },
      'high many',
    ],
    ['of a rule that could not read everything', 'of/project', 'low', { inDoubt: ['of/project'] }, 'high many'],
    ['of a fleet that was not seen whole', 'of/fleet', 'low', { unseen: { fleet: ['endpoint'] } }, 'high many'],
    ['of a complete scan', 'of/project', 'low', {}, 'low few'],
    [
      'of a rule about one resource',
      'of/one',
      'low',
      { unseen: { '*': ['endpoint'] }, inDoubt: ['of/one'] },
      'low few',
    ],
    ['of a rule that compares', 'of/drift', 'low', { unseen: { '*': ['endpoint'] } }, 'low few'],
  ] as const)('keeps the more severe wording %s', (_, rule, severity, scan, words) => {
    const violation = active({ rule, severity: 'high', message: 'many' })
    const { confirmed } = decide([violation], [finding({ rule, severity, message: 'few' })], scan)
    expect(confirmed.map(({ finding: { severity, message } }) => `${severity} ${message}`)).toEqual([words])
  })
})

describe('a finding without a violation', () => {
  it.each([
    ['another rule', finding({ rule: 'of/project' })],
    ['another place', finding({ path: '/name' })],
    ['another resource', finding({ uid: 'e2' })],
    ['a resource of another kind with the same uid', finding({ kind: 'source' })],
  ])('is opened for %s', (_, found) => {
    const { confirmed, opened, resolved } = decide([active()], [found])
    expect([confirmed, opened, resolved.map(({ violation }) => violation)]).toEqual([[], [keyed(found)], [active()]])
  })

  it('is opened once', () => {
    expect(decide([], [finding(), finding({ message: 'again' })]).opened).toEqual([keyed(finding())])
  })
})

describe('a violation that is not found again', () => {
  const fate = (violation: ReconcilableViolation, scan: Scan = {}) => {
    const { resolved, unknown } = decide([violation], [], scan)
    return resolved.length > 0 ? 'resolved' : unknown.length > 0 ? 'unknown' : 'neither'
  }

  const goneIn = (kind: Kind) => ({ removed: ['e1'], unseen: { project: [kind], fleet: [kind] } })

  it.each([
    ['its kind was seen', 'of/one', {}, 'resolved'],
    ['its kind was not seen', 'of/one', { unseen: { resource: ['endpoint'] } }, 'unknown'],
    ['another kind was not seen', 'of/one', { unseen: { resource: ['source'] } }, 'resolved'],
    ['it could not be observed', 'of/one', { unobserved: ['e1'] }, 'unknown'],
    ['another resource could not be observed', 'of/one', { unobserved: ['e2'] }, 'resolved'],
    ['its rule failed', 'of/one', { failed: ['of/one'] }, 'unknown'],
    ['another rule failed', 'of/one', { failed: ['of/project'] }, 'resolved'],
    [
      'one of the kinds that its rule needs was not seen',
      'of/project',
      { unseen: { project: ['subscription'] } },
      'unknown',
    ],
    ['all that its rule needs was seen', 'of/project', { unseen: { project: ['source'] } }, 'resolved'],
    ['the fleet was not seen whole', 'of/fleet', { unseen: { fleet: ['endpoint'] } }, 'unknown'],
    ['only the project was not seen whole', 'of/fleet', { unseen: { project: ['endpoint'] } }, 'resolved'],
    ['a rule that compares asks for its own kind alone', 'of/drift', { unseen: { drift: ['source'] } }, 'resolved'],
    ['a rule that compares did not see its kind', 'of/drift', { unseen: { drift: ['endpoint'] } }, 'unknown'],
    ['it was removed, and what else its rule needs was not seen', 'of/project', goneIn('subscription'), 'resolved'],
    ['it was removed, and the fleet was not seen whole', 'of/fleet', goneIn('endpoint'), 'resolved'],
    ['it was removed, and its rule failed', 'of/one', { removed: ['e1'], failed: ['of/one'] }, 'resolved'],
    ['it was removed, and what compares it failed', 'of/drift', { removed: ['e1'], failed: ['of/drift'] }, 'unknown'],
    ['a rule about the scan did not see its kind', 'of/scan', { unseen: { scan: ['project'] } }, 'unknown'],
  ] as const)('where %s', (_, rule, scan, expected) => {
    expect(fate(active({ rule }), scan)).toBe(expected)
  })

  it('is resolved when the policy turns its rule off, regardless of coverage', () => {
    const everywhere = { unseen: { '*': ['endpoint'] as const }, unobserved: ['e1'] }
    expect(fate(active({ rule: 'gone/rule' }), everywhere)).toBe('resolved')
  })

  it.each(['open', 'waived', 'unknown'] as const)('is returned unchanged when it was %s', (state) => {
    const violation = active({ state, ...(state === 'open' ? {} : { waiver }) })
    expect(decide([violation], [], { failed: ['of/one'] }).unknown).toEqual([violation])
  })
})

describe('the resolution of a violation', () => {
  const resolutionOf = (violation: ReconcilableViolation, scan: Scan = {}) =>
    decide([violation], [], scan).resolved.map(({ ending }) => ending.resolution)
  const { key } = keyed(active())

  it.each<[string, string, Scan, Resolution]>([
    ['fixed when a scan no longer finds it', 'of/one', {}, 'fixed'],
    ['removed with its resource', 'of/one', { removed: ['e1'] }, 'removed'],
    ['policy when the policy has its rule off', 'gone/rule', {}, 'policy'],
    ['policy when the rules changed and the value did not', 'of/one', { notMended: { [key]: byOverride } }, 'policy'],
    ['fixed where only another violation is not mended', 'of/project', { notMended: { [key]: byOverride } }, 'fixed'],
    ['fixed when a drift is undone', 'of/drift', {}, 'fixed'],
  ])('is %s', (_, rule, scan, resolution) => {
    expect(resolutionOf(active({ rule }), scan)).toEqual([resolution])
  })

  it('is accepted where a person approved the state that ended it, even of what was removed', () => {
    const ending = { resolution: 'accepted', ended_by: approval }
    const approved = decide([active()], [], { approved: ['e1'], removed: ['e1'], off: ['of/one'] })
    expect(approved.resolved.map((one) => one.ending)).toEqual([ending])
    expect(resolutionOf(active({ rule: 'gone/rule' }), { approved: ['e1'] })).toEqual(['policy'])
  })

  it.each([accepted, expired])('is $resolution with any scan when that is decided', (ending) => {
    const unseen = { unseen: { '*': ['endpoint'] }, endings: { [key]: ending } } as const
    expect(decide([active()], [], unseen).resolved).toEqual([{ violation: active(), ending }])
  })

  it('is not decided for a violation that is found', () => {
    const { confirmed, resolved } = decide([active()], [finding()], { endings: { [key]: accepted } })
    expect([confirmed.length, resolved]).toEqual([1, []])
  })

  it.each(['of/one', 'of/project', 'of/fleet', 'of/drift', 'of/scan'])(
    'is policy where an override has %s off for the resource',
    (rule) => {
      const [ended] = decide([active({ rule })], [], { off: [rule] }).resolved
      expect(ended?.ending).toEqual({ resolution: 'policy', ended_by: override })
    },
  )

  it('is removed where the resource is, regardless of what the policy has off', () => {
    expect(resolutionOf(active(), { off: ['of/one'], removed: ['e1'] })).toEqual(['removed'])
  })

  it('stays open where an override has its rule off and the resource was not seen', () => {
    expect(resolutionOf(active(), { off: ['of/one'], unobserved: ['e1'] })).toEqual([])
  })

  it.each(['of/one', 'of/project', 'of/fleet', 'of/drift', 'of/scan'])(
    'is not fixed where %s is silent about what is not mended',
    (rule) => {
      const violation = active({ rule })
      const notMended = { [keyOf(violation)]: byOverride }
      expect(decide([violation], [], { notMended }).resolved).toEqual([{ violation, ending: byOverride }])
    },
  )

  it('is not fixed where its rule leaves out what still differs, but removed where the resource is', () => {
    const drift = active({ rule: 'of/drift' })
    const notMended = { [keyOf(drift)]: byOverride }
    expect(decide([drift], [], { notMended }).resolved.map(({ ending }) => ending)).toEqual([byOverride])
    expect(resolutionOf(drift, { notMended, removed: ['e1'] })).toEqual(['removed'])
    expect(resolutionOf(drift, { notMended, unobserved: ['e1'] })).toEqual([])
  })

  it('names no one for what is gone', () => {
    const endings = [{}, { removed: ['e1'] }].flatMap((scan) => decide([active()], [], scan).resolved)
    expect(endings.map(({ ending }) => ending.ended_by)).toEqual([null, null])
  })
})

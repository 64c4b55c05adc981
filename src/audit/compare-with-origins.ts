import { holdsSeals } from '../gateway/inventory/diff-attributes.ts'
import type { ViolationWithOrigin } from '../history/staged.ts'
import type { PastVersion } from '../history/stored-body.ts'
import type { EndedBy, Ending } from '../model/ending.ts'
import { pointersOverlap } from '../model/json.ts'
import { type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { IgnoredPath } from '../policy/ignored-paths.ts'
import type { ProjectEvaluator } from '../policy/project-evaluator.ts'
import { touches } from '../rules/accepted-values.ts'
import { outsideWindow } from '../rules/drift/outside-window.ts'
import type { Drift } from '../rules/engine/rule.ts'
import { compareSince } from './compare-since.ts'
import { type Reform, subjectOf } from './comparison.ts'
import { byPolicy, endingOfExpiry, endingOfIgnored } from './policy-endings.ts'
import type { ProjectScan } from './project-scan.ts'
import { noChanges } from './recent-changes.ts'
import { byKey, keyOf } from './reconcile.ts'

/** A violation of a drift rule, as far as a comparison with its origin needs it. */
export type FollowedViolation = Finding & Pick<ViolationWithOrigin, 'originRun' | 'first_seen' | 'isActive'>

/**
 * Follows violations of drift rules until the value is back: compares each resource with the version before its change,
 * not only with the last scan, which knows the changed value already.
 */
export interface OriginComparison {
  /** Findings about some resources. `findings`: what the comparison with the last scan or the approved state says. */
  decide(resources: readonly Resource[], findings: readonly Finding[]): readonly Finding[]
  /** Violations that ended although the value differs from the origin, by key. */
  readonly endings: ReadonlyMap<string, Ending>
  /** Keys of violations whose origin cannot be compared: their silence means nothing. */
  readonly undecided: ReadonlySet<string>
}

export interface ComparisonBasis {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly sealer: Pick<ProjectScan['sealer'], 'keyId'>
  readonly ofProject: Pick<ProjectEvaluator, 'compareBy' | 'openForMs' | 'locationOf' | 'switchOf'>
  /** Fields whose changes are not drift. */
  readonly ignored: readonly IgnoredPath[]
  at(resource: Resource, run: number): PastVersion | undefined
  /** The approval of a state of the resource, if there is one: a value that the state has is accepted. */
  approvalOf(resource: Resource): EndedBy | undefined
  readonly reform: Reform
}

export function compareWithOrigins(violations: readonly FollowedViolation[], basis: ComparisonBasis): OriginComparison {
  const { now, ofProject, ignored, at, approvalOf } = basis
  const followed: ReadonlyMap<ResourceKey, readonly FollowedViolation[]> = Map.groupBy(violations, resourceKey)
  const endings = new Map<string, Ending>()
  const undecided = new Set<string>()

  const expiryOf = (resource: Resource, { rule, first_seen, isActive }: FollowedViolation) =>
    isActive ? Date.parse(first_seen) + ofProject.openForMs(resource, rule) : Number.POSITIVE_INFINITY

  const compareWith = (resource: Resource, originRun: number) => {
    const origin = at(resource, originRun)
    return origin && compareWithOrigin(resource, origin, basis)
  }

  return {
    endings,
    undecided,
    decide(resources, findings) {
      if (followed.size === 0) return findings
      const cases = resources.flatMap((resource) =>
        (followed.get(resourceKey(resource)) ?? []).map((violation) => ({
          resource,
          violation,
          key: keyOf(violation),
        })),
      )
      if (cases.length === 0) return findings
      const byMain = new Set(findings.map(keyOf))
      const comparedOrigins = new Map<string, OriginOfResource>()
      const remaining: Finding[] = []
      const comparisons: ComparedViolation[] = []
      const followedKeys = new Set<string>()
      for (const { resource, violation, key } of cases) {
        const approval = approvalOf(resource)
        if (approval !== undefined && byMain.has(key)) continue
        followedKeys.add(key)
        const decided = ofProject.switchOf(resource, violation.rule)
        if (decided.isOff) {
          endings.set(key, byPolicy(decided))
          continue
        }
        if (approval === undefined && now >= expiryOf(resource, violation)) {
          endings.set(key, endingOfExpiry(ofProject.openForMs(resource, violation.rule), decided))
          continue
        }
        // Of an update that changes many fields, all violations have one origin.
        const pointOfOrigin = pointKey(violation)
        const compared = comparedOrigins.get(pointOfOrigin) ?? compareWith(resource, violation.originRun)
        if (compared === undefined) {
          // It came outside every change window, or the history does not have its origin any longer.
          const came = {
            ...subjectOf(resource),
            change: 'added',
            before: undefined,
            after: resource.attributes,
            fields: [],
            outside: violation.message,
            recent: noChanges,
            isApproved: false,
            areSealsComparable: false,
          } as const
          const same = ofProject.compareBy(violation.rule, resource, came)?.find((finding) => keyOf(finding) === key)
          if (same === undefined) undecided.add(key)
          else if (approval !== undefined) endings.set(key, { resolution: 'accepted', ended_by: approval })
          else remaining.push({ ...same, originRun: violation.originRun })
          continue
        }
        comparedOrigins.set(pointOfOrigin, compared)
        // Once a person accepted or approved a value, the way back from it is a change like any other.
        if (approval === undefined && violation.isActive) {
          comparisons.push({ violation, findNow: (rule) => compared.find(rule, violation) })
        }
        const again = compared.find(violation.rule, violation)
        const same = again?.get(key) ?? compared.findNear(again, violation)
        // A secret that is back with another value is found next to an open violation alone: whether the approved state
        // has that value, the comparison with it does not say.
        const isOlder = approval !== undefined && (approval.at ?? '') < violation.first_seen
        const isReturn = isOlder && compared.find(violation.rule, { ...violation, isActive: false })?.has(key) !== true
        if (again === undefined) undecided.add(key)
        else if (same === undefined) {
          const by = ignored.find(({ path }) => compared.ignoredCounts.has(path))
          if (by !== undefined && compared.findUnignored(violation)?.has(key)) {
            endings.set(key, endingOfIgnored(by, ofProject))
          } else if (concerns(violation, resource.malformed) || concerns(violation, compared.hidden)) {
            undecided.add(key)
          }
          if (violation.isActive && (approval === undefined || isOlder)) {
            const parts = [...again.values()].filter(({ path }) => path.startsWith(`${violation.path}/`))
            const returned = parts.filter(({ path }) => compared.otherSecrets.has(path))
            remaining.push(...returned.map((part) => ({ ...part, originRun: violation.originRun })))
          }
        } else if (approval !== undefined && !isReturn) {
          endings.set(key, { resolution: 'accepted', ended_by: approval })
        } else remaining.push({ ...same, originRun: violation.originRun })
      }
      const followedNow = byKey(remaining)
      const fresh = findings.filter((one) => !followedKeys.has(keyOf(one)) && !followedNow.has(keyOf(one)))
      return [
        ...fresh.filter((finding) => !comparisons.some((one) => isWayBack(finding, one))),
        ...followedNow.values(),
      ]
    },
  }
}

function pointKey({ kind, uid, originRun }: Pick<FollowedViolation, 'kind' | 'uid' | 'originRun'>): string {
  return `${originRun} ${resourceKey({ kind, uid })}`
}

/** A resource next to the version before a change. Findings are by key, and undefined where a rule cannot compare. */
interface OriginOfResource {
  readonly ignoredCounts: ReadonlyMap<string, number>
  /** JSON Pointers of secrets that are others than they were. */
  readonly otherSecrets: ReadonlySet<string>
  /** JSON Pointers within which it had secrets under another installation key, or in another form. */
  readonly hidden: readonly string[]
  /** What a rule finds now; asked once for all violations, but for the rule that repeats their words. */
  find(rule: string, violation: FollowedViolation): ReadonlyMap<string, Finding> | undefined
  /**
   * A finding in what a violation is about, or around it: then its value is not as strong as it was. Not a secret that is back
   * with another value.
   */
  findNear(findings: ReadonlyMap<string, Finding> | undefined, violation: FollowedViolation): Finding | undefined
  /** What the rule of a violation would find if the policy ignored no path. */
  findUnignored(violation: FollowedViolation): ReadonlyMap<string, Finding> | undefined
}

function compareWithOrigin(
  resource: Resource,
  origin: Pick<PastVersion, 'attributes' | 'doubts' | 'sealKeyId'>,
  { sealer, ofProject, ignored, reform }: ComparisonBasis,
): OriginOfResource {
  const { attributes: after } = resource
  const areSealsComparable = origin.sealKeyId === sealer.keyId
  const compared = compareSince({ sealer, ignored }, origin, resource, reform)
  const compare = (
    rule: string,
    { message: outside, originRun, isActive }: FollowedViolation,
    changes: Pick<Drift, 'before' | 'fields'>,
  ) => {
    const drift: Drift = {
      ...subjectOf(resource),
      change: 'modified',
      ...changes,
      after,
      outside: rule === outsideWindow.id ? outside : undefined,
      // After a person accepted a loss, a secret is new.
      lostSince: isActive ? originRun : undefined,
      recent: noChanges,
      isApproved: false,
      areSealsComparable,
    }
    const findings = ofProject.compareBy(rule, resource, drift)
    return findings && byKey(findings)
  }
  const found = new Map<string, ReadonlyMap<string, Finding> | undefined>()
  const otherSecrets = new Set(
    compared.fields.flatMap((field) => (holdsSeals(field.before) && holdsSeals(field.after) ? field.path : [])),
  )
  return {
    ignoredCounts: compared.ignoredCounts,
    otherSecrets,
    findNear(findings, { path }) {
      const near = [...(findings?.values() ?? [])].find(
        (finding) => pointersOverlap(finding.path, path) && !otherSecrets.has(finding.path),
      )
      return near && { ...near, path }
    },
    hidden: compared.resealed,
    find(rule, violation) {
      const question = `${rule}\n${violation.isActive}${rule === outsideWindow.id ? violation.message : ''}`
      if (!found.has(question)) found.set(question, compare(rule, violation, compared))
      return found.get(question)
    },
    findUnignored: (violation) => compare(violation.rule, violation, { before: compared.was, fields: compared.all }),
  }
}

/** Whether a pointer leads to what a violation is about, to something that has it, or to a part of it. */
function concerns({ path }: Finding, pointers: readonly string[] = []): boolean {
  return pointers.some((pointer) => pointersOverlap(pointer, path))
}

/** A violation, and what a rule finds in the difference from its origin. */
interface ComparedViolation {
  readonly violation: FollowedViolation
  findNow(rule: string): ReadonlyMap<string, Finding> | undefined
}

/** Whether a finding is only about a change back to an origin, or towards it: that is not a violation of its own. */
function isWayBack(finding: Finding, { violation, findNow }: ComparedViolation): boolean {
  if (finding.originRun === undefined || resourceKey(finding) !== resourceKey(violation)) return false
  if (!touches([violation.path], finding.path)) return false
  const again = findNow(finding.rule)
  return again !== undefined && [...again.values()].every(({ path }) => !touches([finding.path], path))
}

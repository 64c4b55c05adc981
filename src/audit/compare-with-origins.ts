import type { ViolationWithOrigin } from '../history/history.ts'
import { diffAttributes, holdsSeals } from '../inventory/diff-attributes.ts'
import type { EndedBy, Ending } from '../model/ending.ts'
import { pointersOverlap } from '../model/json.ts'
import { type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import { type IgnoredPath, leaveOutIgnored } from '../policy/ignored-paths.ts'
import type { ProjectEvaluator } from '../policy/project-evaluator.ts'
import { touches } from '../rules/accepted-values.ts'
import type { Drift } from '../rules/engine/rule.ts'
import { type Reform, subjectOf } from './comparison.ts'
import type { VersionsAt } from './date-values.ts'
import { byPolicy, endingOfExpiry, endingOfIgnored } from './policy-endings.ts'
import { noChanges } from './recent-changes.ts'
import { keyOf } from './reconcile.ts'

/** A violation of a drift rule, as far as a comparison with its origin needs it. */
export type FollowedViolation = Finding & Pick<ViolationWithOrigin, 'originRun' | 'firstSeen' | 'isActive'>

/**
 * Follows violations of drift rules until the value is back: compares each resource with the version before its change,
 * not only with the last scan, which knows the changed value already.
 */
export interface OriginComparison {
  /** Findings about a page of resources. `findings`: what the comparison with the last scan or the approved state says. */
  decide(resources: readonly Resource[], findings: readonly Finding[]): Promise<readonly Finding[]>
  /** Violations that ended although the value differs from the origin, by key. */
  readonly endings: ReadonlyMap<string, Ending>
  /** Keys of violations whose origin cannot be compared: their silence means nothing. */
  readonly undecided: ReadonlySet<string>
}

export interface ComparisonBasis {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly sealKeyId: string
  readonly ofProject: Pick<ProjectEvaluator, 'compareBy' | 'openForMs' | 'locationOf' | 'switchOf'>
  /** Fields whose changes are not drift. */
  readonly ignored: readonly IgnoredPath[]
  readonly versionsAt: VersionsAt
  /** The approval of a state of the resource, if there is one: a value that the state has is accepted. */
  approvalOf(resource: Resource): EndedBy | undefined
  readonly reform: Reform
  /** Called with a resource of which each violation was found again, and nothing else. `until`: when one expires. */
  readonly noteHeld?: ((resource: Resource, until: number) => void) | undefined
}

export function compareWithOrigins(violations: readonly FollowedViolation[], basis: ComparisonBasis): OriginComparison {
  const { now, sealKeyId, ofProject, ignored, versionsAt, approvalOf, reform, noteHeld } = basis
  const followed: ReadonlyMap<ResourceKey, readonly FollowedViolation[]> = Map.groupBy(violations, resourceKey)
  const endings = new Map<string, Ending>()
  const undecided = new Set<string>()

  const expiryOf = (resource: Resource, { rule, firstSeen, isActive }: FollowedViolation) =>
    isActive ? Date.parse(firstSeen) + ofProject.openForMs(resource, rule) : Number.POSITIVE_INFINITY

  return {
    endings,
    undecided,
    async decide(resources, findings) {
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
      const points = cases.map(({ violation: { kind, uid, originRun } }) => ({ kind, uid, run: originRun }))
      const origins = await versionsAt(points)
      const remaining: Finding[] = []
      const comparisons: ComparedViolation[] = []
      const followedKeys = new Set<string>()
      for (const [at, { resource, violation, key }] of cases.entries()) {
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
        const origin = origins[at]
        const { attributes: after } = resource
        const subject = {
          ...subjectOf(resource),
          after,
          outside: violation.message,
          recent: noChanges,
          isApproved: false,
        }
        if (origin === undefined) {
          // It came outside every change window, or the history does not have its origin any longer.
          const came = {
            ...subject,
            change: 'added',
            before: undefined,
            fields: [],
            areSealsComparable: false,
          } as const
          const same = ofProject.compareBy(violation.rule, resource, came)?.find((finding) => keyOf(finding) === key)
          if (same === undefined) undecided.add(key)
          else if (approval !== undefined) endings.set(key, { resolution: 'accepted', endedBy: approval })
          else remaining.push({ ...same, originRun: violation.originRun })
          continue
        }
        const areSealsComparable = origin.sealKeyId === sealKeyId
        const before = reform(resource.kind, origin.attributes)
        const fields = diffAttributes(resource.kind, before, after, { sealsComparable: areSealsComparable })
        const compared = leaveOutIgnored(ignored, { before, after, fields })
        const compare = (compared: Pick<Drift, 'before' | 'fields'>, rule = violation.rule) =>
          ofProject.compareBy(rule, resource, { ...subject, ...compared, areSealsComparable, change: 'modified' })
        // Once a person accepted or approved a value, the way back from it is a change like any other.
        if (approval === undefined && violation.isActive) {
          comparisons.push({ violation, findNow: (rule) => compare(compared, rule) })
        }
        const isSame = (finding: Finding) => keyOf(finding) === key
        const again = compare(compared)
        const same = again?.find(isSame)
        if (again === undefined) undecided.add(key)
        else if (same === undefined) {
          const by = ignored.find(({ path }) => compared.ignoredCounts.has(path))
          if (by !== undefined && compare({ before, fields })?.some(isSame)) {
            endings.set(key, endingOfIgnored(by, ofProject))
          } else if (concernsMalformed(violation, resource) || (!areSealsComparable && holdsSeals(before))) {
            undecided.add(key)
          }
        } else if (approval !== undefined) endings.set(key, { resolution: 'accepted', endedBy: approval })
        else remaining.push({ ...same, originRun: violation.originRun })
      }
      if (noteHeld !== undefined) {
        const again = new Set(remaining.map(keyOf))
        const differing = new Set(findings.map(resourceKey))
        for (const [resource, followed] of Map.groupBy(cases, ({ resource }) => resource)) {
          if (differing.has(resourceKey(resource)) || !followed.every(({ key }) => again.has(key))) continue
          noteHeld(resource, Math.min(...followed.map(({ violation }) => expiryOf(resource, violation))))
        }
      }
      const fresh = findings.filter((finding) => !followedKeys.has(keyOf(finding)))
      return [...fresh.filter((finding) => !comparisons.some((one) => isWayBack(finding, one))), ...remaining]
    },
  }
}

/** Whether what a violation is about is malformed now, or within something that is, or has a part that is. */
function concernsMalformed({ path }: Finding, { malformed = [] }: Resource): boolean {
  return malformed.some((pointer) => pointersOverlap(pointer, path))
}

/** A violation, and what a rule finds in the difference from its origin. */
interface ComparedViolation {
  readonly violation: FollowedViolation
  findNow(rule: string): readonly Finding[] | undefined
}

/** Whether a finding is only about a change back to an origin, or towards it: that is not a violation of its own. */
function isWayBack(finding: Finding, { violation, findNow }: ComparedViolation): boolean {
  if (finding.originRun === undefined || resourceKey(finding) !== resourceKey(violation)) return false
  if (!touches([violation.path], finding.path)) return false
  return findNow(finding.rule)?.every((again) => !touches([finding.path], again.path)) === true
}

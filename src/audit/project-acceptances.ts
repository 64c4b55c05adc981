import { reseal } from '../gateway/inventory/reseal.ts'
import { type Acceptance, type AcceptanceEnding, isInForce, vanishedRule } from '../history/acceptances.ts'
import type { ActiveViolation } from '../history/staged.ts'
import { decidedBy, type Ending } from '../model/ending.ts'
import { type ProjectRef, type ResourceKey, resourceKey } from '../model/resource.ts'
import { type Finding, fingerprintOf } from '../model/violation.ts'
import type { Needs } from '../policy/policy.ts'
import { asReadBy } from '../policy/watch-reads.ts'
import { acceptedDigest, acceptedPaths, touches } from '../rules/accepted-values.ts'
import { isInForm, type StagedResource } from './compare-resources.ts'
import { compareSince } from './compare-since.ts'
import type { Reform } from './comparison.ts'
import type { ProjectScan } from './project-scan.ts'
import { type Criteria, decideSilence, keyOf } from './reconcile.ts'

/**
 * What people accept in a project. An acceptance is of a value: a run that sees another value there, or that the problem
 * is gone, ends it. What a run could not see neither ends nor renews one.
 */
export class ProjectAcceptances {
  readonly #project: ProjectRef
  /** By fingerprint: those in force, and the last one that a run ended. */
  readonly #inForce = new Map<string, Acceptance>()
  readonly #former = new Map<string, Acceptance>()
  readonly #byResource: ReadonlyMap<ResourceKey, readonly Acceptance[]>
  readonly #endings = new Map<number, AcceptanceEnding>()
  /** Fingerprints that were found in this run. */
  readonly #fingerprints = new Set<string>()
  /** Those whose resource was seen, and whether it changed. */
  readonly #seen = new Map<number, boolean>()

  /** `all`: those that no person revoked, oldest first. */
  constructor(project: ProjectRef, all: readonly Acceptance[]) {
    this.#project = project
    for (const one of all) (isInForce(one) ? this.#inForce : this.#former).set(one.fingerprint, one)
    this.#byResource = Map.groupBy(this.#inForce.values(), resourceKey)
  }

  get findings(): readonly Finding[] {
    return [...this.#inForce.values()].map(asFinding)
  }

  /** Ends what was accepted with another value than resources have now. Called before findings in them are taken. */
  compare(resources: readonly StagedResource[], scan: Pick<ProjectScan, 'run' | 'sealer' | 'lastComplete'>): void {
    if (this.#byResource.size === 0) return
    for (const staged of resources) {
      const accepted = this.#byResource.get(resourceKey(staged.resource)) ?? []
      if (accepted.length === 0) continue
      const fields = changedFields(staged, scan)
      for (const acceptance of accepted) {
        this.#seen.set(acceptance.id, fields !== undefined && (fields === 'new' || fields.length > 0))
        if (isAnother(acceptance, staged, fields)) this.#end(acceptance, 'value_changed')
      }
    }
  }

  /** Leaves out what is accepted, and says of the rest what was accepted before. */
  apply(findings: readonly Finding[]): readonly Finding[] {
    if (this.#inForce.size + this.#former.size === 0) return findings
    return findings.flatMap((finding) => {
      const fingerprint = fingerprintOf(this.#project, finding)
      this.#fingerprints.add(fingerprint)
      if (this.#inForce.has(fingerprint)) return []
      const former = this.#former.get(fingerprint)
      return [former === undefined ? finding : { ...finding, message: `${finding.message} (${sayFormer(former)})` }]
    })
  }

  /** Ends the acceptance that the project is gone: a scan saw something of it, which an incomplete one proves as well. */
  endVanished(): void {
    const ofProject = [...this.#inForce.values()].filter(({ rule }) => rule === vanishedRule)
    for (const acceptance of ofProject) this.#end(acceptance, 'restored')
  }

  /**
   * Ends what a scan proves to be gone, when all findings of some rules were taken. `isDecided`: whether they are about
   * what an acceptance is of.
   */
  endRestored(criteria: Criteria, isDecided: (acceptance: Acceptance, needs: Needs) => boolean): void {
    // Another value that has no problem puts it right.
    const changed = [...this.#former.values()].filter(({ id }) => this.#endings.has(id))
    for (const acceptance of [...this.#inForce.values(), ...changed]) {
      const needs = criteria.needs.get(acceptance.rule)
      if (needs === undefined) {
        // A rule that is off says nothing, but what was removed is gone.
        if (criteria.isRemoved(asFinding(acceptance))) this.#end(acceptance, 'removed')
        continue
      }
      if (this.#fingerprints.has(acceptance.fingerprint)) continue
      if (!isDecided(acceptance, needs) || criteria.endings.has(keyOf(asFinding(acceptance)))) continue
      const silence = decideSilence(asFinding(acceptance), criteria)?.resolution
      if (silence === 'removed') this.#end(acceptance, 'removed')
      // The same value is still there: a rule that reads it asks for less now, or not of this resource.
      const isSame = needs.scope === 'resource' && acceptance.valueDigest !== null && !this.#seen.get(acceptance.id)
      if (silence === 'fixed' && !isSame) this.#end(acceptance, 'restored')
    }
  }

  /** The endings of active violations that are accepted, by key. */
  endingsOf(violations: readonly ActiveViolation[]): (readonly [string, Ending])[] {
    return violations.flatMap((violation) => {
      const acceptance = this.#inForce.get(violation.fingerprint)
      if (acceptance === undefined) return []
      return [[keyOf(violation), { resolution: 'accepted', ended_by: decidedBy('acceptance', acceptance) }] as const]
    })
  }

  /** What this run ended, by their ids. */
  get endings(): ReadonlyMap<number, AcceptanceEnding> {
    return this.#endings
  }

  #end(acceptance: Acceptance, by: AcceptanceEnding): void {
    this.#endings.set(acceptance.id, by)
    this.#inForce.delete(acceptance.fingerprint)
    this.#former.set(acceptance.fingerprint, { ...acceptance, ended: { by, at: '' } })
  }
}

/**
 * Paths of the fields in which a resource differs from its previous version; `new`: it had none. undefined: it cannot be
 * said, because that version is in another normal form.
 */
type ChangedPaths = readonly string[] | 'new' | undefined

/** With those that the policy ignores: it may ignore them no longer, and the value would be another. */
function changedFields(
  { resource, previous, since }: StagedResource,
  { run, sealer, lastComplete }: Pick<ProjectScan, 'run' | 'sealer' | 'lastComplete'>,
): ChangedPaths {
  if (previous === undefined) return since === run ? 'new' : []
  const { kind } = resource
  if (!isInForm(previous, lastComplete[kind])) return undefined
  const reform: Reform = (kind, attributes) => reseal(kind, attributes, sealer)
  return compareSince({ sealer, ignored: [] }, previous, resource, reform).fields.map(({ path }) => path)
}

/** Whether a resource has another value than the accepted one. Since the acceptance, each run has compared with the last. */
function isAnother(acceptance: Acceptance, { resource }: StagedResource, fields: ChangedPaths): boolean {
  const paths = acceptedPaths(acceptance)
  if (fields === undefined || acceptance.valueDigest === null) return false
  // Another text is another value.
  const { malformed } = asReadBy({ takesText: 'any' }, resource)
  if (malformed?.some((path) => touches(paths, path))) return false
  if (acceptance.valueDigest === acceptedDigest(resource.attributes, acceptance)) return false
  return fields === 'new' || fields.some((field) => touches(paths, field))
}

/** What is accepted, as far as it decides what silence means. */
export function asFinding({ rule, kind, uid, path }: Acceptance): Finding {
  return { rule, kind, uid, path, severity: 'info', name: '', message: '' }
}

function sayFormer({ by, at, ended }: Acceptance): string {
  const what =
    ended?.by === 'value_changed' ? 'accepted before, with another value,' : 'accepted before it was put right,'
  return `${what} by ${by} on ${at.slice(0, 10)}`
}

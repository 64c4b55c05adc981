import type { StagedChange } from '../history/records.ts'
import { isReadable, type Listing, type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import { windowTimeOf } from '../model/window-time.ts'
import { type ChangeWindow, describeOutside, windowTimes } from '../policy/change-window.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { ProjectEvaluator } from '../policy/project-evaluator.ts'
import { outsideWindow } from '../rules/drift/outside-window.ts'
import type { Drift } from '../rules/engine/rule.ts'
import { compareWithOrigins, type FollowedViolation } from './compare-with-origins.ts'
import { type Comparison, type MissingResources, type Reform, type ScannedResource, subjectOf } from './comparison.ts'
import { dateValues } from './date-values.ts'
import { baselineOf, type ExpectedState } from './expected-state.ts'
import { isWhole, type ProjectOutcome } from './project-outcome.ts'
import type { ProjectScan } from './project-scan.ts'
import { noChanges } from './recent-changes.ts'

/** Resources of a kind that a listing showed. */
export interface ScannedListing {
  readonly listing: Listing
  readonly resources: readonly ScannedResource[]
}

/** What changed, and when the scan had ended (ISO 8601): the end of the time in which it first saw a change. */
export interface TimedChanges {
  readonly changes: readonly Pick<StagedChange, 'kind' | 'uid' | 'name' | 'change' | 'between'>[]
  readonly until: string
}

export interface ScanEvaluation extends Pick<ProjectOutcome, 'endings' | 'undecided' | 'windows'> {
  readonly findings: readonly Finding[]
  readonly missing: MissingResources
  /** Resources of violations that an earlier run saw removed. */
  readonly goneBefore: readonly ResourceKey[]
}

interface EvaluationBasis {
  readonly evaluator: PolicyEvaluator
  readonly rules: ProjectEvaluator
  readonly comparison: Comparison
  /** Violations that a comparison with an earlier version decides. */
  readonly followed: readonly FollowedViolation[]
  /** What drift rules compare with instead of the last scan. */
  readonly expected: ExpectedState | undefined
  readonly reform: Reform
  readonly timed: TimedChanges
  /** What the walks proved, and which listings a filter narrowed. */
  readonly walked: Pick<ProjectOutcome, 'statuses' | 'narrowed'>
  /** Resources that still exist and that nothing showed. */
  readonly unobserved: readonly ResourceKey[]
}

/** Evaluates a scan by a policy: its resources, how they differ from before, and all of them together. */
export function evaluateScan(
  scan: ProjectScan,
  shown: readonly ScannedListing[],
  basis: EvaluationBasis,
): ScanEvaluation {
  const { evaluator, rules, comparison, followed, expected, reform, timed, walked } = basis
  const { now, sealer, ignored, at } = scan
  const isCompared = (resource: Resource) => expected !== undefined && comparison.isApproved(resource)
  const origins = compareWithOrigins(followed, {
    now,
    sealer,
    ofProject: rules,
    ignored,
    at,
    approvalOf: (resource) =>
      expected !== undefined && comparison.isApproved(resource) ? baselineOf(expected, resource) : undefined,
    reform,
  })
  const windowed = new ChangesOutsideWindows(scan, rules, followed)
  const findings: Finding[] = []
  const dating = { before: scan.run, startedAt: new Date(now).toISOString() }
  for (const { listing, resources: scanned } of shown) {
    const resources = scanned.map(({ resource }) => resource)
    for (const resource of resources) {
      const dates = dateValues(resource, evaluator.datesOf(resource), dating, at)
      for (const finding of rules.evaluate(resource, dates)) findings.push(finding)
    }
    windowed.note(scanned)
    const { compared, resealed } = comparison.compare(listing, scanned)
    const drifted = compared.flatMap(({ resource, drift, originRun, unread }) => [
      ...rules.compare(resource, drift, originRun, unread),
      ...windowed.findStillOutside(resource, drift),
    ])
    for (const finding of origins.decide(resources, drifted)) findings.push(finding)
    for (const { resource, before } of resealed) {
      rules.doubtSecrets({ ...resource, sealKeyId: sealer.keyId }, before, isCompared(resource))
    }
    for (const resource of resources) if (!isReadable(resource)) rules.doubtUnread(resource, isCompared(resource))
  }
  const missing = comparison.compareMissing(walked.statuses, basis.unobserved)
  const { windows, unannounced } = windowed.conclude(timed)
  findings.push(
    ...missing.gone.flatMap(({ resource, drift }) => rules.compare(resource, drift)),
    ...unannounced,
    ...rules.conclude({ isComplete: (kind) => isWhole(walked, kind) }),
  )
  return {
    findings,
    missing,
    ...(windows.length === 0 ? {} : { windows }),
    endings: Object.fromEntries(origins.endings),
    undecided: [...origins.undecided],
    goneBefore: windowed.goneBefore(),
  }
}

/** What changed outside every change window of a project. */
class ChangesOutsideWindows {
  readonly #scan: ProjectScan
  readonly #windows: readonly ChangeWindow[]
  readonly #rules: ProjectEvaluator
  /** What the rule finds in a changed resource, if it changed outside all windows. */
  readonly #ofChanges = new Map<ResourceKey, Finding>()
  /** Its violations that are followed, and which of their resources the scan has shown. */
  readonly #outside: ReadonlyMap<ResourceKey, FollowedViolation>
  readonly #seenAgain = new Set<ResourceKey>()

  constructor(scan: ProjectScan, rules: ProjectEvaluator, followed: readonly FollowedViolation[]) {
    this.#scan = scan
    this.#windows = scan.windows
    this.#rules = rules
    const outside = followed.filter(({ rule }) => rule === outsideWindow.id)
    this.#outside = new Map(outside.map((violation) => [resourceKey(violation), violation]))
  }

  /** What changed outside every window, and differs from the approved baseline still. */
  findStillOutside(resource: Resource, drift: Drift): readonly Finding[] {
    const violation = drift.isApproved ? this.#outside.get(resourceKey(resource)) : undefined
    if (violation === undefined) return []
    const findings = this.#rules.compareBy(outsideWindow.id, resource, { ...drift, outside: violation.message }) ?? []
    return findings.map((finding) => ({ ...finding, originRun: violation.originRun }))
  }

  /** Where a project has change windows, keeps what would be found: when a change came about is known at the end. */
  note(scanned: readonly ScannedResource[]): void {
    for (const { resource } of this.#outside.size === 0 ? [] : scanned) this.#seenAgain.add(resourceKey(resource))
    if (this.#windows.length === 0) return
    for (const { resource, change } of scanned) {
      if (change === undefined) continue
      const { change: type, fields } = change
      this.#find(resource, { change: type, fields, before: undefined, after: resource.attributes })
    }
  }

  /** The times of change windows in which changes may have been made, and what changed outside every window. */
  conclude({ changes, until }: TimedChanges) {
    const { lastComplete } = this.#scan
    const windows = this.#windows
    if (windows.length === 0) return { windows: [], unannounced: [] }
    const timed = changes.flatMap((change) => {
      const { after = null, before = null } = change.between ?? {}
      return after === null ? [] : [{ ...change, after, before: before ?? until }]
    })
    const times = windowTimes(windows, timed)
    const outside = timed.filter((change) => windowTimeOf(times, change) === undefined)
    this.#findRemoved(outside.filter(({ change }) => change === 'removed'))
    const unannounced = outside.flatMap((change): Finding[] => {
      const key = resourceKey(change)
      const finding = this.#ofChanges.get(key)
      // A violation that is followed says of an earlier change what would be said of this one.
      if (finding === undefined || (this.#outside.has(key) && change.change !== 'removed')) return []
      const { change: type, kind, after, before } = change
      const message = `${type} ${describeOutside(windows, after, before)}`
      return [{ ...finding, message, originRun: lastComplete[kind]?.run }]
    })
    return { windows: times, unannounced }
  }

  /** Resources of followed violations that an earlier run saw removed: the history has none of them, nor has the scan. */
  goneBefore(): readonly ResourceKey[] {
    const { at, run } = this.#scan
    const unseen = [...this.#outside.values()].filter((violation) => !this.#seenAgain.has(resourceKey(violation)))
    return unseen.filter((violation) => at(violation, run - 1) === undefined).map(resourceKey)
  }

  /** No listing shows what was removed, so the history says what it was. */
  #findRemoved(removed: readonly Pick<StagedChange, 'kind' | 'uid' | 'name'>[]): void {
    const { at, lastComplete } = this.#scan
    for (const { kind, uid, name } of removed) {
      const before = at({ kind, uid }, lastComplete[kind]?.run ?? 0)?.attributes
      if (before === undefined) continue
      const resource: Resource = { kind, uid, name, attributes: before, volatile: {}, facts: {} }
      this.#find(resource, { change: 'removed', fields: [], before, after: undefined })
    }
  }

  #find(resource: Resource, drift: Pick<Drift, 'change' | 'fields' | 'before' | 'after'>): void {
    const compared = { isApproved: false, areSealsComparable: true, recent: noChanges, outside: drift.change }
    const [finding] =
      this.#rules.compareBy(outsideWindow.id, resource, { ...subjectOf(resource), ...drift, ...compared }) ?? []
    if (finding !== undefined) this.#ofChanges.set(resourceKey(resource), finding)
  }
}

import type { StagedChange } from '../history/records.ts'
import { bodiesAtOnce, chunks } from '../model/chunks.ts'
import { isReadable, type Kind, type Listing, type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import { windowTimeOf } from '../model/window-time.ts'
import { describeOutside, windowTimes } from '../policy/change-window.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { ProjectEvaluator } from '../policy/project-evaluator.ts'
import { outsideWindow } from '../rules/drift/outside-window.ts'
import type { Drift } from '../rules/engine/rule.ts'
import { compareWithOrigins, type FollowedViolation, type OriginComparison } from './compare-with-origins.ts'
import { type Comparison, type Reform, type ScannedResource, subjectOf } from './comparison.ts'
import { dateValues } from './date-values.ts'
import { baselineOf, type ExpectedState } from './expected-state.ts'
import type { ProjectAcceptances } from './project-acceptances.ts'
import { isWhole, type ProjectOutcome } from './project-outcome.ts'
import type { EvaluatedScan } from './project-scan.ts'
import { noChanges } from './recent-changes.ts'
import { pointsAt, reconcileProject } from './reconcile-project.ts'
import { writeFindings } from './write-violations.ts'

/** What a scan showed of a project, before rules conclude. */
export type UnconcludedProject = Omit<ProjectOutcome, 'endings' | 'unknownRules' | 'evaluation'>

/** What changed, and when the scan had ended (ISO 8601): the end of the time in which it first saw a change. */
export interface TimedChanges {
  readonly changes: readonly Pick<StagedChange, 'kind' | 'uid' | 'name' | 'change' | 'between'>[]
  readonly until: string
}

interface ScanEvaluationOptions {
  readonly evaluator: PolicyEvaluator
  readonly rules: ProjectEvaluator
  readonly comparison: Comparison
  /** Violations that a comparison with an earlier version decides. */
  readonly followed: readonly FollowedViolation[]
  /** What drift rules compare with instead of the last scan; `unread`: nothing is known of it. */
  readonly expected: ExpectedState | 'unread' | undefined
  readonly acceptances: ProjectAcceptances
  readonly reform: Reform
}

/**
 * The evaluation of one scan by a policy: takes what it shows page by page, drafts what is found, and decides at its end
 * what becomes of the project's violations. It does not matter whether a service shows it or the history of a past run.
 */
export class ScanEvaluation {
  readonly #scan: EvaluatedScan
  readonly #evaluator: PolicyEvaluator
  readonly #rules: ProjectEvaluator
  readonly #comparison: Comparison
  readonly #origins: OriginComparison
  readonly #expected: ScanEvaluationOptions['expected']
  readonly #acceptances: ProjectAcceptances
  /** What the rule about change windows finds in a changed resource, if it changed outside all of them. */
  readonly #ofChanges = new Map<ResourceKey, Finding>()
  /** Violations of that rule that are followed, and which of their resources the scan has shown. */
  readonly #outside: ReadonlyMap<ResourceKey, FollowedViolation>
  readonly #seenAgain = new Set<ResourceKey>()
  /** The newest version of each kind that the scan showed: the run that wrote it. */
  readonly #newest = new Map<Kind, number>()
  readonly #reform: ScanEvaluationOptions['reform']

  constructor(scan: EvaluatedScan, options: ScanEvaluationOptions) {
    const { evaluator, rules, comparison, followed, expected, acceptances, reform } = options
    const { draft, project, now, sealer, ignored } = scan
    this.#scan = scan
    this.#evaluator = evaluator
    this.#rules = rules
    this.#comparison = comparison
    this.#expected = expected
    this.#acceptances = acceptances
    const outside = followed.filter(({ rule }) => rule === outsideWindow.id)
    this.#outside = new Map(outside.map((violation) => [resourceKey(violation), violation]))
    this.#reform = reform
    this.#origins = compareWithOrigins(followed, {
      now,
      sealKeyId: sealer.keyId,
      ofProject: rules,
      ignored,
      versionsAt: (points) => draft.versionsAt(project, points),
      approvalOf: (resource) =>
        expected !== undefined && expected !== 'unread' && comparison.isApproved(resource)
          ? baselineOf(expected, resource)
          : undefined,
      reform,
    })
  }

  /** Evaluates resources of one listing, and drafts what was found in them. */
  async take(listing: Listing, scanned: readonly ScannedResource[]): Promise<void> {
    const { draft, project } = this.#scan
    await writeFindings(draft, project, this.#acceptances.apply(await this.#evaluate(listing, scanned)))
  }

  /** Concludes the rules across the project's resources, and reconciles. `scanFindings`: what only the whole scan shows. */
  async conclude(
    unconcluded: UnconcludedProject,
    scanFindings: readonly Finding[],
    timed: TimedChanges,
  ): Promise<ProjectOutcome> {
    const { windows, unannounced } = await this.#compareWithWindows(timed)
    const acrossResources = this.#rules.conclude({ isComplete: (kind) => isWhole(unconcluded, kind) })
    const findings = [...scanFindings, ...unannounced, ...acrossResources]
    const outcome: ProjectOutcome = {
      ...unconcluded,
      ...(windows.length === 0 ? {} : { windows }),
      removed: [...unconcluded.removed, ...(await this.#goneBefore())],
      endings: Object.fromEntries(this.#origins.endings),
      undecided: [...this.#origins.undecided, ...unconcluded.undecided],
      unknownRules: [],
      evaluation: this.#rules.outcome(),
    }
    const { draft, ignored, now } = this.#scan
    const isOfKind = (kind: Kind) => outcome.removed.some((key) => key.startsWith(`${kind} `))
    const unknown = await reconcileProject(draft, outcome, this.#acceptances.apply(findings), {
      now,
      hasChanged: (kind, since) => (this.#newest.get(kind) ?? 0) > since || isOfKind(kind),
      evaluator: this.#evaluator,
      acceptances: this.#acceptances,
      expected: this.#expected,
      ignored,
      reform: this.#reform,
    })
    return { ...outcome, unknownRules: [...new Set(unknown.map(({ rule }) => rule))] }
  }

  /** What rules find in resources, and in how they differ from before. */
  async #evaluate(listing: Listing, scanned: readonly ScannedResource[]): Promise<readonly Finding[]> {
    const { draft, project, now } = this.#scan
    const resources = scanned.map(({ resource }) => resource)
    for (const { resource, since } of scanned) {
      if (since > (this.#newest.get(resource.kind) ?? 0)) this.#newest.set(resource.kind, since)
    }
    const dates = await dateValues(
      resources.map((resource) => ({ resource, paths: this.#evaluator.datesOf(resource) })),
      { before: draft.run, startedAt: new Date(now).toISOString() },
      (points) => draft.versionsAt(project, points),
    )
    const findings: Finding[] = []
    for (const [at, resource] of resources.entries()) {
      for (const finding of this.#rules.evaluate(resource, dates[at])) findings.push(finding)
    }
    this.#noteChanges(scanned)
    const { compared, resealed } = await this.#comparison.compare(listing, scanned)
    const drifted = compared.flatMap(({ resource, drift, originRun, unread }) => [
      ...this.#rules.compare(resource, drift, originRun, unread),
      ...this.#findStillOutside(resource, drift),
    ])
    for (const finding of await this.#origins.decide(resources, drifted)) findings.push(finding)
    for (const { resource, before, areSealsComparable } of resealed) {
      const isApproved = this.#isCompared(resource)
      this.#rules.doubtSecrets(resource, { before, isApproved, areSealsComparable })
    }
    for (const resource of resources) {
      if (!isReadable(resource)) this.#rules.doubtUnread(resource, this.#isCompared(resource))
    }
    return findings
  }

  /** Whether a state that a person approved has the resource, as far as that is known. */
  #isCompared(resource: Resource): boolean {
    return this.#expected !== undefined && this.#expected !== 'unread' && this.#comparison.isApproved(resource)
  }

  /** What changed outside every window, and differs from the approved baseline still. */
  #findStillOutside(resource: Resource, drift: Drift): readonly Finding[] {
    const violation = drift.isApproved ? this.#outside.get(resourceKey(resource)) : undefined
    if (violation === undefined) return []
    const findings = this.#rules.compareBy(outsideWindow.id, resource, { ...drift, outside: violation.message }) ?? []
    return findings.map((finding) => ({ ...finding, originRun: violation.originRun }))
  }

  /** Where a project has change windows, keeps what would be found: when a change came about is known at the end. */
  #noteChanges(scanned: readonly ScannedResource[]): void {
    for (const { resource } of this.#outside.size === 0 ? [] : scanned) this.#seenAgain.add(resourceKey(resource))
    if (this.#scan.windows.length === 0) return
    for (const { resource, change } of scanned) {
      if (change === undefined) continue
      const { change: type, fields } = change
      this.#findOutside(resource, { change: type, fields, before: undefined, after: resource.attributes })
    }
  }

  #findOutside(resource: Resource, drift: Pick<Drift, 'change' | 'fields' | 'before' | 'after'>): void {
    const compared = { isApproved: false, areSealsComparable: true, recent: noChanges, outside: drift.change }
    const [finding] =
      this.#rules.compareBy(outsideWindow.id, resource, { ...subjectOf(resource), ...drift, ...compared }) ?? []
    if (finding !== undefined) this.#ofChanges.set(resourceKey(resource), finding)
  }

  /** The times of change windows in which changes may have been made, and what changed outside every window. */
  async #compareWithWindows({ changes, until }: TimedChanges) {
    const { windows, lastComplete } = this.#scan
    if (windows.length === 0) return { windows: [], unannounced: [] }
    const timed = changes.flatMap((change) => {
      const { after = null, before = null } = change.between ?? {}
      return after === null ? [] : [{ ...change, after, before: before ?? until }]
    })
    const times = windowTimes(windows, timed)
    const outside = timed.filter((change) => windowTimeOf(times, change) === undefined)
    await this.#findRemoved(outside.filter(({ change }) => change === 'removed'))
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
  async #goneBefore(): Promise<readonly ResourceKey[]> {
    const { draft, project } = this.#scan
    const unseen = [...this.#outside.values()].filter((violation) => !this.#seenAgain.has(resourceKey(violation)))
    const gone: ResourceKey[] = []
    for (const batch of chunks(unseen, bodiesAtOnce)) {
      const versions = await draft.versionsAt(project, pointsAt(batch, draft.run - 1))
      gone.push(...batch.filter((_, at) => versions[at] === undefined).map(resourceKey))
    }
    return gone
  }

  /** No page shows what was removed, so the history says what it was. */
  async #findRemoved(removed: readonly Pick<StagedChange, 'kind' | 'uid' | 'name'>[]): Promise<void> {
    const { draft, project, lastComplete } = this.#scan
    for (const batch of chunks(removed, bodiesAtOnce)) {
      const points = batch.map(({ kind, uid }) => ({ kind, uid, run: lastComplete[kind]?.run ?? 0 }))
      const versions = await draft.versionsAt(project, points)
      for (const [at, { kind, uid, name }] of batch.entries()) {
        const before = versions[at]?.attributes
        if (before === undefined) continue
        const resource: Resource = { kind, uid, name, attributes: before, volatile: {}, facts: {} }
        this.#findOutside(resource, { change: 'removed', fields: [], before, after: undefined })
      }
    }
  }
}

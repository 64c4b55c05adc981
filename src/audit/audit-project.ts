import { reseal } from '../gateway/inventory/reseal.ts'
import { DraftedVersions } from '../history/draft/drafted-project.ts'
import type { NamedVersion } from '../history/history.ts'
import type { StagedChange } from '../history/records.ts'
import { compareText } from '../history/report-order.ts'
import type { readRunTimes } from '../history/sql/runs.ts'
import type { ActiveViolation } from '../history/staged.ts'
import { chunks } from '../model/chunks.ts'
import type { Coverage } from '../model/coverage.ts'
import { memberOf } from '../model/json.ts'
import type { ProjectNotice } from '../model/notice.ts'
import { type Listing, listings, type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import { isoTime } from '../model/time.ts'
import { withoutUndefined } from '../model/without-undefined.ts'
import { createEvaluator } from '../policy/evaluator.ts'
import type { Rule } from '../rules/engine/rule.ts'
import { massRemoval } from '../rules/project/mass-removal.ts'
import { originOf } from '../rules/service/url-not-https.ts'
import type { AuditedProject } from './audited-project.ts'
import { compareResources, type StagedResource } from './compare-resources.ts'
import { compareWithApproved } from './compare-with-approved.ts'
import { type Comparison, compareWithLastScan, type Reform } from './comparison.ts'
import { evaluateScan, type ScannedListing } from './evaluate-scan.ts'
import type { FilterWalk } from './filter-walk.ts'
import { findContradictions } from './find-contradictions.ts'
import { findRemovals, type Removals, type UnseenVersions } from './find-removals.ts'
import type { ItemMemory } from './item-memory.ts'
import { Observations } from './observations.ts'
import type { OpenRun } from './open-run.ts'
import { type AsLeft, endingOfUnlicensed } from './policy-endings.ts'
import type { ProbeOutcomes } from './probes/run-probes.ts'
import { ProjectAcceptances } from './project-acceptances.ts'
import type { EarlierRuns } from './project-before.ts'
import { configured, type ProjectOutcome } from './project-outcome.ts'
import { kindOf, type ProjectScan, type Statuses } from './project-scan.ts'
import type { Walk } from './project-walk.ts'
import type { SeenProject } from './read-project.ts'
import { gatherChanges } from './recent-changes.ts'
import { keyOf, type Reconciliation } from './reconcile.ts'
import { reconcileProject } from './reconcile-project.ts'
import { type WithheldWalks, withholdRemovals } from './withhold-removals.ts'
import { detectShapeChanges, writeNotices } from './write-notices.ts'
import { yesterdayOf } from './yesterday.ts'

// The audit of a project is two pure functions: `compareProject` and `concludeProject`. Between them, the policy's probes
// run: which ones depends on what is gone.

/** What a scan showed, next to what was known. */
export interface ComparedProject {
  /** What the walks proved, as far as it is believed. */
  readonly withheld: WithheldWalks
  readonly statuses: Statuses
  readonly removals: Removals
  readonly observed: Observations
  readonly shown: readonly ScannedListing[]
  readonly unseen: UnseenVersions
  readonly versions: DraftedVersions
  /** Resources as the run leaves them. */
  readonly asLeft: AsLeft
  readonly acceptances: ProjectAcceptances
  /** What the next scan gets of the items. */
  readonly items: string | undefined
}

/** What a run writes of a project, and what it leaves for the end of the run. */
export interface ProjectResult {
  readonly outcome: ProjectOutcome
  readonly walks: readonly { readonly coverage: Coverage; readonly shape: readonly string[] | undefined }[]
  readonly versions: DraftedVersions
  /** Ids of versions that it ends without new ones. */
  readonly ended: readonly number[]
  readonly changes: readonly StagedChange[]
  readonly reconciliation: Reconciliation<ActiveViolation>
  readonly acceptances: ProjectAcceptances
  readonly unreferenced: Removals['unreferenced']
  readonly withheld: WithheldWalks['withheld']
  readonly notices: readonly ProjectNotice[]
  readonly readings: { readonly items: string | undefined; readonly filters: string | undefined }
}

/** Their versions are compressed from then on. */
const comparedAtOnce = 2_000

/** Compares what was seen with what was known, and decides what of it is believed. */
export function compareProject(
  scan: ProjectScan,
  seen: SeenProject,
  items: ItemMemory,
  { evaluator, acceptsRemovals }: Pick<OpenRun, 'evaluator' | 'acceptsRemovals'>,
): ComparedProject {
  const { before, project } = scan
  const observed = new Observations(project.uid)
  const embedded: StagedResource[] = []
  const acceptances = new ProjectAcceptances(project, before.acceptances)
  const shown: ScannedListing[] = []
  const versions = new DraftedVersions()
  const staged = new Map<ResourceKey, StagedResource>()
  for (const { listing, listed, lifted, identities, read } of seen.listings) {
    const all = listing === 'project' && seen.settings !== undefined ? [seen.settings.project] : [...listed, ...lifted]
    for (const [kind, ofKind] of Map.groupBy(all, (resource) => resource.kind)) {
      let from = 0
      for (const batch of chunks(ofKind, comparedAtOnce)) {
        const compared = compareResources(scan, kind, listing, batch, read)
        for (const one of compared.resources) staged.set(resourceKey(one.resource), one)
        versions.add(compared.versions)
        observed.note(listing, kind, compared)
        if (kind === kindOf[listing])
          items.note(listing, identities.slice(from, from + batch.length), compared.resources)
        if (kind === 'source' && listing === 'subscriptions') embedded.push(...compared.resources)
        acceptances.compare(compared.resources, scan)
        shown.push({ listing, resources: compared.resources })
        from += batch.length
      }
    }
  }
  const unseen: UnseenVersions = (kind) => before.versions.ofKind(kind, staged)
  const contradictions = findContradictions({
    statuses: statusesOf(seen.proof.walks),
    subscriptions: seen.listings.find(({ listing }) => listing === 'subscriptions')?.listed ?? [],
    embedded,
    missing: unseen('endpoint').map(({ uid }) => uid),
    itemsOf: observed.unseen.itemsOf,
  })
  const withheld = withholdRemovals(scan, seen.proof, {
    limits: evaluator.optionsOf(project, observed.self, 'project/mass-removal'),
    acceptsRemovals,
    seenAgain: observed.seenAgain,
    fieldsMissing: observed.unseen.fieldsMissing,
    unseen,
    contradictions,
  })
  const statuses = statusesOf(withheld.walks)
  const asLeft: AsLeft = (resource) => {
    const one = staged.get(resourceKey(resource))
    return one === undefined ? before.versions.before(resource) : asVersion(one.resource, scan, one.since)
  }
  const removals = findRemovals(scan, statuses, { contradicted: contradictions.endpoints, unseen })
  return { withheld, statuses, removals, observed, shown, unseen, versions, asLeft, acceptances, items: items.left() }
}

interface ConclusionBasis extends Pick<OpenRun, 'policy' | 'evaluator' | 'runsProbes' | 'clock'> {
  readonly runs: EarlierRuns
  readonly probed: ProbeOutcomes
}

/** Evaluates a project by the policy, and decides what becomes of its violations. */
export function concludeProject(
  audited: AuditedProject,
  scan: ProjectScan,
  seen: SeenProject,
  compared: ComparedProject,
  { evaluator, policy, runsProbes, clock, runs, probed }: ConclusionBasis,
): ProjectResult {
  const { before, project, sealer } = scan
  const { withheld, statuses: walked, removals, observed, acceptances } = compared
  const ran = new Map(probed.resources.map((resource) => [resourceKey(resource), asVersion(resource, scan, scan.run)]))
  const asLeft: AsLeft = (resource) => ran.get(resourceKey(resource)) ?? compared.asLeft(resource)
  const { walks } = withheld
  const changes = [...observed.changes, ...removals.changes, ...probed.changes]
  const timed = timeChanges(changes, scan, { times: runs.times, rows: seen.rows })
  const statuses: Statuses = runsProbes ? { ...walked, probes: 'complete' } : walked
  const rules = evaluator.forProject(project, undefined, undefined, audited.lacks)
  const reform: Reform = (kind, attributes) => reseal(kind, attributes, sealer)
  const recent = gatherChanges(before.history.modifications, policy.ignore)
  const compareWith = (one: ProjectScan): Comparison =>
    before.expected === undefined
      ? compareWithLastScan(one, recent, reform)
      : compareWithApproved(one, before.expected, recent, reform)
  const isVanished = walks.some(({ coverage }) => coverage.cause === 'not_found')
  if (!isVanished && walks.some(isProof)) acceptances.endVanished()
  const release = seen.release.range()
  const besides = [
    ...rules.evaluateScan(observed.self, {
      isVanished,
      isMissing: audited.isMissing === true && !isSeen(walks),
      isUnlisted: false,
      unconfirmedRemovals: withheld.losses,
    }),
    ...probed.resources.flatMap((resource) => rules.evaluate(resource)),
  ]
  const until = isoTime(clock.now())
  const evaluation = evaluateScan(scan, compared.shown, {
    evaluator,
    rules,
    comparison: compareWith(scan),
    followed: before.history.withOrigin,
    expected: before.expected,
    reform,
    timed: { changes: timed, until },
    walked: { statuses, narrowed: configured(audited).narrowed },
    unobserved: removals.unobserved,
  })
  const { missing, windows } = evaluation
  const outcome = rules.outcome()
  const resources = compared.shown.flatMap(({ resources }) => resources.map(({ resource }) => resource))
  const unconcluded: ProjectOutcome = {
    ...configured(audited),
    ...describePast(scan, walked),
    ...(release === undefined ? {} : { release }),
    ...(seen.settings?.writtenAt && { settings_at: seen.settings.writtenAt }),
    ...(windows === undefined ? {} : { windows }),
    statuses,
    unobserved: [...removals.unobserved, ...missing.unobserved],
    removed: [...removals.gone, ...probed.removed, ...evaluation.goneBefore],
    ignored: Object.fromEntries(observed.ignored),
    endings: { ...evaluation.endings, ...endingsOfUnlicensed(before.violations, outcome.notLicensed) },
    undecided: [...evaluation.undecided, ...(withheld.isLossOpen ? [violationOf(massRemoval, observed.self)] : [])],
    untested: probed.untested,
    dueProbes: probed.due,
    unprobed: probed.unprobed,
    probed: [...new Set(seen.targets.map((target) => target.probe.name))],
    origins: [...new Set(resources.map(originOf).filter((origin) => origin !== undefined))],
    unknownRules: [],
    evaluation: outcome,
  }
  const yesterday = yesterdayOf(scan, {
    evaluator,
    evaluatorAt: (then) => createEvaluator(policy, then, () => audited.labels, clock.now),
    startOf: (run) => runs.times.get(run)?.started_at,
    compareWith,
    reform,
    asLeft,
  })
  const reconciliation = reconcileProject(unconcluded, acceptances.apply([...besides, ...evaluation.findings]), {
    evaluator,
    acceptances,
    violations: before.violations,
    asLeft,
    scanned: { before, runs, ignored: scan.ignored, reform, yesterday },
  })
  compared.versions.add(probed.versions)
  const reshaped = detectShapeChanges(before.history, walked, seen.shapes)
  const list = walks.find(({ coverage }) => coverage.listing === 'subscriptions')?.coverage
  const filters = list && seen.rows?.coverage(list)
  return {
    outcome: { ...unconcluded, unknownRules: [...new Set(reconciliation.unknown.map(({ rule }) => rule))] },
    walks: [
      ...walks.map(({ coverage }) => ({ coverage, shape: reshaped.get(coverage.listing)?.shape })),
      ...(filters === undefined ? [] : [{ coverage: filters, shape: undefined }]),
    ],
    versions: compared.versions,
    ended: [...removals.ended, ...probed.ended],
    changes: withReferrers(timed, scan, compared),
    reconciliation,
    acceptances,
    unreferenced: removals.unreferenced,
    withheld: withheld.withheld,
    notices: [
      ...writeNotices(reshaped, observed, seen.settings, freshlyUnreferenced(scan, removals)),
      ...noteUncomparedSeals(missing.uncomparedSeals),
      ...probed.notices,
      ...(audited.isMissing === true && isSeen(walks) ? [notListed] : []),
    ],
    readings: { items: compared.items, filters: list && seen.rows?.left(list) },
  }
}

/** By key. `notLicensed`: rules that do not apply, with the features that they need. */
function endingsOfUnlicensed(violations: readonly ActiveViolation[], notLicensed: Readonly<Record<string, string>>) {
  const entries = violations.flatMap((violation) => {
    const feature = memberOf(notLicensed, violation.rule)
    return feature === undefined ? [] : [[keyOf(violation), endingOfUnlicensed(feature)] as const]
  })
  return Object.fromEntries(entries)
}

/** A resource as a version of it. `since`: the run that wrote it. */
function asVersion(
  { name, attributes, facts, doubts }: Resource,
  { sealer, now }: ProjectScan,
  since: number,
): NamedVersion {
  const written = { fromRun: since, since: new Date(now).toISOString(), sealKeyId: sealer.keyId }
  return { name, attributes, facts, ...(doubts === undefined ? {} : { doubts }), ...written }
}

/** One change of a shared source is one change, with the subscriptions that it touches. */
function withReferrers(
  changes: readonly StagedChange[],
  { before }: ProjectScan,
  { shown, unseen, removals }: ComparedProject,
): readonly StagedChange[] {
  if (!changes.some(({ kind }) => kind === 'source')) return changes
  const gone = new Set(removals.gone)
  const seen = shown.flatMap(({ resources }) => resources.map(({ resource }) => resource))
  const others = unseen('subscription').flatMap((version) => {
    const attributes = gone.has(resourceKey(version)) ? undefined : before.versions.before(version)?.attributes
    return attributes === undefined ? [] : [{ kind: version.kind, uid: version.uid, attributes }]
  })
  const users = [...seen, ...others].filter(({ kind }) => kind === 'subscription')
  const bySource = Map.groupBy(users, ({ attributes }) => attributes.source_uid)
  return changes.map((change) => {
    if (change.kind !== 'source') return change
    return { ...change, referrers: (bySource.get(change.uid) ?? []).map(({ uid }) => uid).sort(compareText) }
  })
}

/** Resources that only references show, and that nothing refers to since this run. */
function freshlyUnreferenced({ before }: ProjectScan, { unreferenced }: Removals) {
  return [...unreferenced].flatMap(([kind, uids]) =>
    uids.filter((uid) => before.unreferenced.get(kind)?.has(uid) !== true).map((uid) => ({ kind, uid })),
  )
}

/** What the run could compare the project with. Members that say nothing are absent, so that equal runs store nothing. */
function describePast(
  { lastComplete, before }: ProjectScan,
  walked: Statuses,
): Pick<ProjectOutcome, 'not_compared' | 'approved_at'> {
  const isUncompared = (listing: Listing) =>
    walked[listing] !== undefined && walked[listing] !== 'skipped' && lastComplete[kindOf[listing]] === undefined
  const notCompared = listings.filter(isUncompared)
  return withoutUndefined({
    not_compared: notCompared.length === 0 ? undefined : notCompared,
    approved_at: before.expected?.approvedAt,
  })
}

export function statusesOf(walks: readonly Walk[]): Statuses {
  return Object.fromEntries(walks.map(({ coverage }) => [coverage.listing, coverage.status]))
}

function isSeen(walks: readonly Walk[]): boolean {
  return walks.some(({ coverage }) => coverage.items > 0)
}

/** Whether a walk shows that the project is there: items that name no project may be those of another one. */
function isProof({ coverage: { items, cause } }: Walk): boolean {
  return items > 0 && cause !== 'unproven'
}

/** The key of the violation of a rule about a project as a whole. */
function violationOf({ id }: Pick<Rule, 'id'>, project: Resource): string {
  return keyOf({ ...project, rule: id, path: '' })
}

const notListed: ProjectNotice = {
  code: 'project_not_listed',
  listing: null,
  text: 'the list of projects does not have it, but it answers: it is scanned as before',
}

function noteUncomparedSeals(resources: number): ProjectNotice[] {
  if (resources === 0) return []
  const text = `what was approved was sealed under another installation key, or by an earlier version: secrets of ${count(resources, 'resource')} were not compared with it`
  return [{ code: 'approval_not_compared', listing: null, text }]
}

/**
 * Says within which time changes came about: after the last complete scan of their kind began, because a resource is read
 * at some moment of it, and before the first scan that saw them ended. What only an incomplete scan saw as before proves
 * nothing of a resource that it did not reach, so it does not count. Filter rows are not read in every run. Where the clock
 * went back in between, there is no such time.
 */
function timeChanges(
  changes: readonly StagedChange[],
  { run, lastComplete, now }: Pick<ProjectScan, 'run' | 'lastComplete' | 'now'>,
  { times, rows }: TimeSources,
): readonly StagedChange[] {
  return changes.map((change) => {
    const { kind, uid, fields, firstRun = run } = change
    const began = times.get(lastComplete[kind]?.run ?? 0)?.started_at ?? null
    const isOfRows = kind === 'subscription' && fields.some(({ path }) => path.split('/', 2)[1] === 'filters')
    const readAt = isOfRows ? rows?.lastReadAt(uid) : undefined
    const after = began !== null && readAt !== undefined && readAt < began ? readAt : began
    const before = firstRun === run ? null : (times.get(firstRun)?.finished_at ?? null)
    const isInOrder = after !== null && after <= (before ?? isoTime(now))
    return { ...change, between: { after: isInOrder ? after : null, before } }
  })
}

interface TimeSources {
  /** When runs began and ended. */
  readonly times: Awaited<ReturnType<typeof readRunTimes>>
  /** When filter rows were read. */
  readonly rows: Pick<FilterWalk, 'lastReadAt'> | undefined
}

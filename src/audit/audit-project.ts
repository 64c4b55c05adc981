import type { ScanDraft } from '../history/history.ts'
import type { StagedChange } from '../history/records.ts'
import { reseal } from '../inventory/reseal.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { resourceKey } from '../model/keys.ts'
import type { ProjectNotice } from '../model/notice.ts'
import { listings, type Resource } from '../model/resource.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { IgnoredPath } from '../policy/ignored-paths.ts'
import type { Probe } from '../policy/probe.ts'
import { mayBeVulnerable, releaseVulnerable } from '../rules/service/release-vulnerable.ts'
import { compareWithApproved } from './compare-with-approved.ts'
import { compareWithOrigins } from './compare-with-origins.ts'
import { compareWithLastScan } from './comparison.ts'
import { approvedState, baselineOf, type ExpectedState } from './expected-state.ts'
import { findRemovals, type Removals } from './find-removals.ts'
import type { LastWritten } from './newer-settings.ts'
import { leaveOutProbes, type Probed, runProbes } from './probes/run-probes.ts'
import { openPageProcessor, type PageProcessor } from './process-pages.ts'
import { openAcceptances, ProjectAcceptances } from './project-acceptances.ts'
import { openContext, type ProjectContext } from './project-context.ts'
import { configured, discardedOutcome, isWhole, type ProjectOutcome } from './project-outcome.ts'
import { type AuditedProject, kindOf, type Statuses } from './project-scan.ts'
import { gatherChanges, type RecentChanges } from './recent-changes.ts'
import { keyOf } from './reconcile.ts'
import { reconcileProject } from './reconcile-project.ts'
import { type ProvenWalks, type WalkTools, walkProject } from './walk-project.ts'
import { detectShapeChanges, writeNotices } from './write-notices.ts'

/** What every project of a run is audited with. */
export interface ProjectTools extends WalkTools {
  readonly draft: ScanDraft
  readonly sealer: Sealer
  /** Start of the run, in milliseconds since the epoch. */
  readonly now: number
  /** Those of the policy. */
  readonly probes: readonly Probe[]
  readonly ignored: readonly IgnoredPath[]
  /** Whether they run. */
  readonly runsProbes: boolean
  /** undefined: an answer with older settings is not recognised. */
  readonly lastWritten?: LastWritten | undefined
}

/**
 * Walks a project's listings one after the other, drafts what they show, evaluates it, and reconciles what was found
 * with what the history knows. What needs all projects together is left for the end of the run.
 */
export async function auditProject(
  project: AuditedProject,
  evaluator: PolicyEvaluator,
  tools: ProjectTools,
): Promise<ProjectOutcome> {
  const { draft, runsProbes } = tools
  const { ref } = project
  const context = await openContext(project, tools)
  const expected = project.expected ?? (await approvedState(draft, ref))
  const recent = await readRecentChanges(context, evaluator)
  const comparison =
    expected === undefined ? compareWithLastScan(context, recent) : compareWithApproved(context, expected, recent)
  const ofProject = evaluator.forProject(ref)
  const { probes, onPage } = tools
  const followed = await draft.violationsWithOrigin(ref)
  const origins = compareWithOrigins(followed, {
    ...{ now: context.now, sealKeyId: context.sealer.keyId, ofProject },
    ignored: context.ignored,
    versionsAt: (points) => draft.versionsAt(ref, points),
    approvalOf: (resource) =>
      expected !== undefined && comparison.isApproved(resource) ? baselineOf(expected, resource) : undefined,
    reform: (kind, attributes) => reseal(kind, attributes, context.sealer),
  })
  const acceptances = await openAcceptances(draft, ref)
  const processor = openPageProcessor(project, context, {
    ...{ evaluator, ofProject, comparison, origins, acceptances, probes, onPage },
    lastWritten: tools.lastWritten,
  })

  const { walks, losses, filters, ...asked } = await walkProject(project, context, processor, evaluator, tools)
  const { gathered } = processor
  const walked: Statuses = Object.fromEntries(walks.map(({ coverage }) => [coverage.listing, coverage.status]))
  const reshaped = await detectShapeChanges(context, walked, gathered.shapes)
  for (const { coverage } of walks) await draft.stageWalk(ref, coverage, reshaped.get(coverage.listing)?.shape)
  if (filters !== undefined) await draft.stageWalk(ref, filters, undefined)
  if (walks.some(({ coverage }) => coverage.cause === 'foreign')) {
    return discardProject(project, walked, evaluator, draft)
  }

  const removals = await findRemovals(context, walked, gathered.contradictions.uidsOf('endpoints'))
  const probed = runsProbes
    ? await probe(project, context, { ...tools, gathered, expected, ...asked, statuses: walked, removals })
    : await leaveOutProbes(context, gathered.targets)
  const statuses: Statuses = runsProbes ? { ...walked, probes: 'complete' } : walked
  await draft.stageChanges(
    ref,
    await withReferrers(context, [...gathered.changes, ...removals.changes, ...probed.changes]),
  )

  const missing = await comparison.compareMissing(statuses)
  const isVanished = walks.some(({ coverage }) => coverage.cause === 'not_found')
  const { isMissing = false } = project
  const isSeen = walks.some(({ coverage }) => coverage.items > 0)
  const release = gathered.releaseSigns.range()
  const inferred = release === undefined ? {} : { release }
  const settingsAt = gathered.settings?.writtenAt
  const scanned = {
    ...configured(project),
    ...describePast(context, walked, expected),
    ...inferred,
    ...(settingsAt && { settingsAt }),
    statuses,
  }
  const findings = [
    ...ofProject.evaluateScan(gathered.self, {
      ...{ isVanished, isMissing: isMissing && !isSeen, isUnlisted: false, ...inferred },
      unconfirmedRemovals: losses,
    }),
    ...probed.resources.flatMap((resource) => ofProject.evaluate(resource)),
    ...missing.gone.flatMap(({ resource, drift }) => ofProject.compare(resource, drift)),
    ...ofProject.conclude({ isComplete: (kind) => isWhole(scanned, kind) }),
  ]
  const isUnderOtherRules = await draft.isUnderOtherRules(ref)
  const outcome: ProjectOutcome = {
    ...scanned,
    unobserved: [...removals.unobserved, ...missing.unobserved],
    removed: removals.changes.map(resourceKey),
    // Asked only where the rules changed: a first run changes everything.
    changed: isUnderOtherRules ? [...gathered.changes.map(resourceKey), ...gathered.silentlyChanged] : [],
    ignored: Object.fromEntries(gathered.ignored),
    endings: Object.fromEntries(origins.endings),
    undecided: [...origins.undecided, ...(mayBeVulnerable(release) ? [vulnerableIn(gathered.self)] : [])],
    isUnderOtherRules,
    untested: probed.untested,
    probed: [...new Set(gathered.targets.map((target) => target.probe.name))],
    evaluation: ofProject.outcome(),
  }
  const kept = acceptances.apply(findings)
  await reconcileProject(draft, outcome, kept, { evaluator, acceptances, expected, ignored: context.ignored })

  const notices = [
    ...writeNotices(reshaped, gathered, removals.unreferenced),
    ...noteUncomparedSeals(missing.uncomparedSeals),
    ...probed.notices,
    ...(isMissing && isSeen ? [notListed] : []),
  ]
  for (const notice of notices) await draft.stageNotice(ref, notice)
  return outcome
}

/** The key of the violation that the release of the service is vulnerable. */
function vulnerableIn(project: Resource): string {
  return keyOf({ ...project, rule: releaseVulnerable.id, path: '' })
}

const notListed: ProjectNotice = {
  code: 'project_not_listed',
  listing: null,
  text: 'the list of projects does not have it, but it answers: it is scanned as before',
}

/** What the run could compare the project with. Members that say nothing are absent, so that equal runs store nothing. */
function describePast(
  { lastComplete }: ProjectContext,
  walked: Statuses,
  expected: ExpectedState | undefined,
): Pick<ProjectOutcome, 'notCompared' | 'approvedAt'> {
  const notCompared = listings.filter(
    (listing) =>
      walked[listing] !== undefined && walked[listing] !== 'skipped' && lastComplete[kindOf[listing]] === undefined,
  )
  return {
    ...(notCompared.length === 0 ? {} : { notCompared }),
    ...(expected?.approval === undefined ? {} : { approvedAt: expected.approval.at }),
  }
}

/** Keeps nothing of a project but what its walks proved: its violations are carried as unknown. */
export async function discardProject(
  project: AuditedProject,
  statuses: Statuses,
  evaluator: PolicyEvaluator,
  draft: ScanDraft,
): Promise<ProjectOutcome> {
  await draft.discard(project.ref)
  const outcome = discardedOutcome(project, statuses)
  const acceptances = new ProjectAcceptances(project.ref, [])
  await reconcileProject(draft, outcome, [], { evaluator, acceptances, expected: 'unread', ignored: [] })
  return outcome
}

async function readRecentChanges(
  { draft, project, now, ignored }: ProjectContext,
  { lookbackMs }: PolicyEvaluator,
): Promise<RecentChanges> {
  // Where no rule reads past changes, nothing is read.
  const since = new Date(Math.max(0, now - lookbackMs)).toISOString()
  return gatherChanges(lookbackMs === 0 ? [] : await draft.modifiedSince(project, since), ignored)
}

interface AfterWalks extends Pick<ProjectTools, 'probes' | 'signal'>, Pick<ProvenWalks, 'waitedMs' | 'acceptance'> {
  readonly gathered: PageProcessor['gathered']
  readonly expected: ExpectedState | undefined
  readonly statuses: Statuses
  readonly removals: Removals
}

function probe(
  { ref, key, filters, client }: AuditedProject,
  context: ProjectContext,
  { probes, signal, gathered, expected, waitedMs, acceptance, statuses, removals }: AfterWalks,
): Promise<Probed> {
  const traffic = { requests: 0, retries: 0, waitedMs }
  return runProbes(context, {
    ...{ client, probes, expected, statuses },
    targets: gathered.targets,
    access: { projectUid: ref.uid, key, filters, signal, traffic, acceptance },
    unobserved: new Set(removals.unobserved),
  })
}

function noteUncomparedSeals(resources: number): ProjectNotice[] {
  if (resources === 0) return []
  const text = `what was approved was sealed under another installation key: secrets of ${resources} resources were not compared with it`
  return [{ code: 'approval_not_compared', listing: null, text }]
}

/** One change of a shared source is one change, with the subscriptions that it touches. */
async function withReferrers(
  { draft, project }: ProjectContext,
  changes: readonly StagedChange[],
): Promise<StagedChange[]> {
  const sources = changes.filter(({ kind }) => kind === 'source').map(({ uid }) => uid)
  const referrers = await draft.referrers(project, sources)
  return changes.map((change) =>
    change.kind === 'source' ? { ...change, referrers: referrers.get(change.uid) ?? [] } : change,
  )
}

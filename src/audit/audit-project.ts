import type { StagedChange } from '../history/records.ts'
import type { ProjectNotice } from '../model/notice.ts'
import type { Kind } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import { type Comparison, compareWithBaseline } from './compare-with-expected.ts'
import { approvedState, type ExpectedState } from './expected-state.ts'
import { findRemovals, type Removals } from './find-removals.ts'
import { leaveOutProbes, type Probed, runProbes } from './probes/run-probes.ts'
import { openPageProcessor, type PageProcessor } from './process-pages.ts'
import { type AuditedProject, isKindWhole, type ProjectScan, type Statuses } from './project-scan.ts'
import type { ProjectTools } from './project-tools.ts'
import { readRecentChanges } from './recent-changes.ts'
import { reconcileFindings } from './settle-violations.ts'
import type { ProjectContext } from './stage-resources.ts'
import { walkProject } from './walk-project.ts'
import { detectShapeChanges, writeNotices } from './write-notices.ts'

/** Walks a project's listings one after the other, drafts what they show, judges it, and settles what is left. */
export async function auditProject(project: AuditedProject, tools: ProjectTools): Promise<ProjectScan> {
  const { draft, evaluator } = tools
  const { ref } = project
  const stage = await openStage(project, tools)
  const expected = project.expected ?? (await approvedState(draft, ref))
  const comparison = await openComparison(expected, stage, tools)
  const processor = openPageProcessor(project, stage, comparison, tools)

  const { walks, losses, waitedMs } = await walkProject(project, stage, processor, tools)
  const walked: Statuses = Object.fromEntries(walks.map(({ coverage }) => [coverage.listing, coverage.status]))
  const reshaped = await detectShapeChanges(stage, walked, processor.shapes)
  for (const { coverage } of walks) await draft.stageWalk(ref, coverage, reshaped.get(coverage.listing)?.shape)
  if (walks.some(({ coverage }) => coverage.cause === 'foreign')) {
    await draft.discard(ref)
    evaluator.forget(ref)
    return { project, statuses: walked, unobserved: new Set(), untested: new Set(), probed: new Set() }
  }

  const removals = await findRemovals(stage, walked)
  const probed = await probe({ project, tools, stage, processor, expected, waitedMs, statuses: walked, removals })
  const statuses: Statuses = tools.runsProbes ? { ...walked, probes: 'complete' } : walked
  await draft.stageChanges(
    ref,
    await withReferrers(stage, [...processor.changes, ...removals.changes, ...probed.changes]),
  )

  const missing = await comparison.compareMissing(statuses)
  const isVanished = walks.some(({ coverage }) => coverage.cause === 'not_found')
  await reconcileFindings(draft, ref, [
    ...evaluator.evaluateScan(ref, processor.self(), { isVanished, unconfirmedRemovals: losses }),
    ...probed.resources.flatMap((resource) => evaluator.evaluate(ref, resource)),
    ...missing.gone.flatMap(({ resource, drift }) => evaluator.compare(ref, resource, drift)),
  ])
  await settleConclusions(project, statuses, tools)

  const notices = [
    ...writeNotices(reshaped, processor, removals.unreferenced),
    ...noteUncomparedSeals(comparison),
    ...probed.notices,
  ]
  for (const notice of notices) await draft.stageNotice(ref, notice)
  return {
    project,
    statuses,
    unobserved: new Set([...removals.unobserved, ...missing.unobserved]),
    untested: probed.untested,
    probed: new Set(processor.targets.map((target) => target.probe.name)),
  }
}

async function openStage({ ref, filters }: AuditedProject, { draft, sealer }: ProjectTools): Promise<ProjectContext> {
  return {
    draft,
    project: ref,
    baselines: await draft.lastCompleteScans(ref),
    filters,
    wereSourcesListed: (await draft.lastShape(ref, 'sources')) !== undefined,
    sealer,
  }
}

async function openComparison(
  expected: ExpectedState | undefined,
  stage: ProjectContext,
  { evaluator, startedAt }: ProjectTools,
): Promise<Comparison> {
  const now = Date.parse(startedAt)
  return compareWithBaseline(stage, {
    expected,
    recent: await readRecentChanges(stage, { now, lookbackMs: evaluator.lookbackMs }),
    now,
  })
}

interface AfterWalks {
  readonly project: AuditedProject
  readonly tools: ProjectTools
  readonly stage: ProjectContext
  readonly processor: PageProcessor
  readonly expected: ExpectedState | undefined
  readonly waitedMs: number
  readonly statuses: Statuses
  readonly removals: Removals
}

function probe({
  project,
  tools,
  stage,
  processor,
  expected,
  waitedMs,
  statuses,
  removals,
}: AfterWalks): Promise<Probed> {
  const { sealer, probes, runsProbes, signal, startedAt } = tools
  const { targets } = processor
  if (!runsProbes) return leaveOutProbes(stage, targets)
  const traffic = { requests: 0, retries: 0, waitedMs }
  const access = { projectUid: project.ref.uid, key: project.key, filters: project.filters, signal, traffic }
  const { unobserved } = removals
  const now = Date.parse(startedAt)
  return runProbes({
    client: project.client,
    stage,
    sealer,
    probes,
    targets,
    access,
    now,
    expected,
    statuses,
    unobserved,
  })
}

/** What rules across the project's resources found, now that all of them have passed. */
async function settleConclusions(
  { ref, filters }: AuditedProject,
  statuses: Statuses,
  { draft, evaluator }: ProjectTools,
): Promise<void> {
  const isComplete = (kind: Kind) => isKindWhole(statuses, filters, kind)
  const findings: readonly Finding[] = evaluator.concludeProject(ref, { isComplete })
  const sawAll = (rule: string) =>
    !evaluator.doubts.holdsAny(ref, rule) && (evaluator.needsOf(rule)?.kinds.every(isComplete) ?? true)
  await reconcileFindings(draft, ref, findings, sawAll)
}

function noteUncomparedSeals(comparison: Comparison): ProjectNotice[] {
  const resources = comparison.uncomparedSeals()
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

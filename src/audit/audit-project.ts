import type { StagedChange } from '../history/records.ts'
import type { ProjectNotice } from '../model/notice.ts'
import type { Kind } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import { type Comparison, compareWithBaseline } from './compare-with-baseline.ts'
import { approvedState, type ExpectedState } from './expected-state.ts'
import { findRemovals, type Removals } from './find-removals.ts'
import { type AuditedProject, isKindWhole, type ProjectLook, type Statuses } from './look.ts'
import { openPass, type Pass } from './open-pass.ts'
import type { ProjectTools } from './project-tools.ts'
import { readRecentChanges } from './recent-changes.ts'
import { leaveOutProbes, type Probed, runProbes } from './run-probes.ts'
import { settleFindings } from './settle-violations.ts'
import type { Stage } from './stage-resources.ts'
import { walkProject } from './walk-project.ts'
import { compareWithPast, writeNotices } from './write-notices.ts'

/** Walks a project's listings one after the other, drafts what they show, judges it, and settles what is left. */
export async function auditProject(project: AuditedProject, tools: ProjectTools): Promise<ProjectLook> {
  const { draft, judge } = tools
  const { ref } = project
  const stage = await openStage(project, tools)
  const expected = project.expected ?? (await approvedState(draft, ref))
  const comparison = await openComparison(expected, stage, tools)
  const pass = openPass(project, stage, comparison, tools)

  const { walks, losses, waitedMs } = await walkProject(project, stage, pass, tools)
  const walked: Statuses = Object.fromEntries(walks.map(({ coverage }) => [coverage.listing, coverage.status]))
  const reshaped = await compareWithPast(stage, walked, pass.shapes)
  for (const { coverage } of walks) await draft.stageWalk(ref, coverage, reshaped.get(coverage.listing)?.shape)
  if (walks.some(({ coverage }) => coverage.cause === 'foreign')) {
    await draft.discard(ref)
    judge.forget(ref)
    return { project, statuses: walked, outOfSight: new Set(), untested: new Set(), probed: new Set() }
  }

  const removals = await findRemovals(stage, walked)
  const probed = await probe({ project, tools, stage, pass, expected, waitedMs, statuses: walked, removals })
  const statuses: Statuses = tools.runsProbes ? { ...walked, probes: 'complete' } : walked
  await draft.stageChanges(ref, await withReferrers(stage, [...pass.changes, ...removals.changes, ...probed.changes]))

  const missing = await comparison.compareMissing(statuses)
  const isVanished = walks.some(({ coverage }) => coverage.cause === 'not_found')
  await settleFindings(draft, ref, [
    ...judge.judgeLook(ref, pass.self(), { isVanished, held: losses }),
    ...probed.resources.flatMap((resource) => judge.visit(ref, resource)),
    ...missing.gone.flatMap(({ resource, drift }) => judge.compare(ref, resource, drift)),
  ])
  await settleConclusions(project, statuses, tools)

  const notices = [
    ...writeNotices(reshaped, pass, removals.unreferenced),
    ...tellUncompared(comparison),
    ...probed.notices,
  ]
  for (const notice of notices) await draft.stageNotice(ref, notice)
  return {
    project,
    statuses,
    outOfSight: new Set([...removals.outOfSight, ...missing.outOfSight]),
    untested: probed.untested,
    probed: new Set(pass.targets.map((target) => target.probe.name)),
  }
}

async function openStage({ ref, filters }: AuditedProject, { draft, sealer }: ProjectTools): Promise<Stage> {
  return {
    draft,
    project: ref,
    baselines: await draft.baselines(ref),
    filters,
    wereSourcesListed: (await draft.lastShape(ref, 'sources')) !== undefined,
    sealer,
  }
}

async function openComparison(
  expected: ExpectedState | undefined,
  stage: Stage,
  { judge, startedAt }: ProjectTools,
): Promise<Comparison> {
  const now = Date.parse(startedAt)
  return compareWithBaseline(stage, {
    expected,
    recent: await readRecentChanges(stage, { now, lookbackMs: judge.lookbackMs }),
    now,
  })
}

interface AfterWalks {
  readonly project: AuditedProject
  readonly tools: ProjectTools
  readonly stage: Stage
  readonly pass: Pass
  readonly expected: ExpectedState | undefined
  readonly waitedMs: number
  readonly statuses: Statuses
  readonly removals: Removals
}

function probe({ project, tools, stage, pass, expected, waitedMs, statuses, removals }: AfterWalks): Promise<Probed> {
  const { sealer, probes, runsProbes, signal, startedAt } = tools
  const { targets } = pass
  if (!runsProbes) return leaveOutProbes(stage, targets)
  const traffic = { requests: 0, retries: 0, waitedMs }
  const look = { projectUid: project.ref.uid, key: project.key, filters: project.filters, signal, traffic }
  const { outOfSight } = removals
  const now = Date.parse(startedAt)
  return runProbes({
    client: project.client,
    stage,
    sealer,
    probes,
    targets,
    look,
    now,
    expected,
    statuses,
    outOfSight,
  })
}

/** What rules across the project's resources found, now that all of them have passed. */
async function settleConclusions(
  { ref, filters }: AuditedProject,
  statuses: Statuses,
  { draft, judge }: ProjectTools,
): Promise<void> {
  const isComplete = (kind: Kind) => isKindWhole(statuses, filters, kind)
  const findings: readonly Finding[] = judge.concludeProject(ref, { isComplete })
  const sawAll = (rule: string) =>
    !judge.doubts.holdsAny(ref, rule) && (judge.needsOf(rule)?.kinds.every(isComplete) ?? true)
  await settleFindings(draft, ref, findings, sawAll)
}

function tellUncompared(comparison: Comparison): ProjectNotice[] {
  const resources = comparison.uncomparedSeals()
  if (resources === 0) return []
  const text = `what was approved was sealed under another installation key: secrets of ${resources} resources were not compared with it`
  return [{ code: 'approval_not_compared', listing: null, text }]
}

/** One change of a shared source is one change, with the subscriptions that it touches. */
async function withReferrers({ draft, project }: Stage, changes: readonly StagedChange[]): Promise<StagedChange[]> {
  const sources = changes.filter(({ kind }) => kind === 'source').map(({ uid }) => uid)
  const referrers = await draft.referrers(project, sources)
  return changes.map((change) =>
    change.kind === 'source' ? { ...change, referrers: referrers.get(change.uid) ?? [] } : change,
  )
}

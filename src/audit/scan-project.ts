import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { ScanDraft } from '../history/history.ts'
import { isReadable, type Kind, type ProjectRef, type Resource } from '../model/resource.ts'
import { compareProject, concludeProject, type ProjectResult, statusesOf } from './audit-project.ts'
import type { AuditedProject } from './audited-project.ts'
import { ItemMemory } from './item-memory.ts'
import type { OpenRun } from './open-run.ts'
import { leaveOutProbes, runProbes } from './probes/run-probes.ts'
import { ProjectAcceptances } from './project-acceptances.ts'
import { readBefore, readEarlier, readEarlierRuns } from './project-before.ts'
import { discardedOutcome, type ProjectOutcome } from './project-outcome.ts'
import type { ProjectScan, Statuses } from './project-scan.ts'
import { readProject, type SeenProject } from './read-project.ts'
import { reconcileProject } from './reconcile-project.ts'
import { writeReconciliation } from './write-violations.ts'

/** Reads what is there. */
export type ReadProject = typeof readProject

/**
 * Scans one project: reads what was known and what is there, audits it, and drafts what the run writes of it. `read`: what
 * is there; default: asks the service.
 */
export async function scanProject(
  audited: AuditedProject,
  run: OpenRun,
  read: ReadProject = readProject,
): Promise<ProjectOutcome> {
  const { draft } = run
  const { ref: project } = audited
  const scan = await openScan(audited, run)
  const items = new ItemMemory(scan.before.versions, run.sealer, scan.before.items)
  const seen = await read(audited, scan, items, run)
  const { walks } = seen.proof
  if (walks.some(({ coverage }) => coverage.cause === 'foreign')) {
    for (const { coverage } of walks) await draft.stageWalk(project, coverage, undefined)
    const list = walks.find(({ coverage }) => coverage.listing === 'subscriptions')?.coverage
    const filters = list && seen.rows?.coverage(list)
    if (filters !== undefined) await draft.stageWalk(project, filters, undefined)
    return discardProject(audited, statusesOf(walks), run)
  }
  const result = await auditProject(audited, scan, seen, items, run)
  await writeResult(draft, project, scan.before.unreferenced, result)
  return result.outcome
}

/** Reads what was known of a project. */
export async function openScan(audited: AuditedProject, run: ScanTools): Promise<ProjectScan> {
  const { draft, policy, now, sealer } = run
  const { ref: project } = audited
  const before = await readBefore(audited, run)
  return {
    project,
    run: draft.run,
    now,
    sealer,
    filters: audited.filters,
    ignored: policy.ignore,
    windows: policy.windows.filter(({ isFor }) => isFor(project.name)),
    before,
    lastComplete: before.lastComplete,
    at: (resource, at) => before.versions.at(resource, at),
  }
}

/** What a scan needs of a run. */
export type ScanTools = Omit<OpenRun, 'signal' | 'onPage' | 'onStep' | 'onBug' | 'lastWritten'>

/** What a run concludes of a project from what it saw. Writes nothing. */
export async function auditProject(
  audited: AuditedProject,
  scan: ProjectScan,
  seen: SeenProject,
  items: ItemMemory,
  run: ScanTools,
): Promise<ProjectResult> {
  const { draft, evaluator, policy, now } = run
  const { before, project } = scan
  // What an answer did not show is what it was.
  const isDated = (resource: Resource) => !isReadable(resource) || evaluator.datesOf(resource).length > 0
  const dated = seen.listings.flatMap(({ listed }) => listed.filter(isDated))
  await readEarlier(before, dated, { draft, project })
  const since = evaluator.lookbackMs === 0 ? undefined : new Date(Math.max(0, now - evaluator.lookbackMs)).toISOString()
  const runs = await readEarlierRuns(before, draft, since)
  const compared = compareProject(scan, seen, items, run)
  // Of a large project, each step takes a while.
  await letOthersRun()
  const probed = run.runsProbes
    ? await runProbes(scan, {
        client: audited.client,
        access: seen.access,
        probes: policy.probes,
        targets: seen.targets,
        expected: before.expected,
        statuses: compared.statuses,
        unobserved: new Set(compared.removals.unobserved),
        removed: new Set(compared.removals.gone),
        unseen: compared.unseen,
        asLeft: compared.asLeft,
      })
    : leaveOutProbes(scan, seen.targets)
  return concludeProject(audited, scan, seen, compared, { ...run, runs, probed })
}

/** Keeps nothing of a project but what its walks proved: its violations are carried as unknown. */
export async function discardProject(
  project: AuditedProject,
  statuses: Statuses,
  { draft, evaluator }: Pick<OpenRun, 'draft' | 'evaluator'>,
): Promise<ProjectOutcome> {
  await draft.discard(project.ref)
  const outcome = discardedOutcome(project, statuses)
  const violations = await draft.unconfirmedViolations(project.ref)
  const acceptances = new ProjectAcceptances(project.ref, [])
  const known = { evaluator, acceptances, violations, asLeft: () => undefined }
  await writeReconciliation(draft, project.ref, reconcileProject(outcome, [], known))
  return outcome
}

async function writeResult(
  draft: ScanDraft,
  project: ProjectRef,
  marked: ReadonlyMap<Kind, ReadonlySet<Resource['uid']>>,
  result: ProjectResult,
): Promise<void> {
  const { versions, ended, changes, reconciliation, acceptances, unreferenced, withheld, notices, readings } = result
  for (const { coverage, shape } of result.walks) await draft.stageWalk(project, coverage, shape)
  await draft.stage(project, versions)
  await draft.endVersions(project, ended)
  await draft.stageChanges(project, changes)
  await writeReconciliation(draft, project, reconciliation)
  await draft.endAcceptances(project, acceptances.endings)
  for (const [kind, uids] of unreferenced) {
    const before = marked.get(kind) ?? new Set()
    const now = new Set(uids)
    const removed = [...before.difference(now)]
    await draft.markUnreferenced(project, kind, { added: [...now.difference(before)], removed })
  }
  for (const [listing, uids] of withheld) await draft.withholdRemovals(project, listing, uids)
  for (const notice of notices) await draft.stageNotice(project, notice)
  if (readings.items !== undefined) await draft.stageReading(project, 'items', readings.items)
  if (readings.filters !== undefined) await draft.stageReading(project, 'filters', readings.filters)
}

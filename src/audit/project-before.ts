import type { Acceptance } from '../history/acceptances.ts'
import type { Approval } from '../history/approvals.ts'
import type { ScanDraft } from '../history/history.ts'
import type { CompleteScans } from '../history/records.ts'
import { listApprovalsOf } from '../history/sql/approvals.ts'
import { lacksRunsSince, readRunTimes } from '../history/sql/runs.ts'
import { readCompleteScans } from '../history/sql/scans.ts'
import { readEarlierVersions, readEndedSince } from '../history/sql/state-at.ts'
import type { ActiveViolation, OtherRules, ProjectHistory } from '../history/staged.ts'
import {
  type Kind,
  type Listing,
  type ProjectRef,
  type Resource,
  type ResourceKey,
  resourceKey,
} from '../model/resource.ts'
import type { AuditedProject } from './audited-project.ts'
import { approvedState, type ExpectedState } from './expected-state.ts'
import { KnownVersions } from './known-versions.ts'
import type { OpenRun } from './open-run.ts'

/** What the history knows of a project before a run scans it. */
export interface ProjectBefore {
  readonly versions: KnownVersions
  /** The last run that scanned it. */
  readonly lastScan: number | undefined
  /** The last complete walk of each kind. */
  readonly lastComplete: CompleteScans
  /** What earlier runs left of it. */
  readonly history: ProjectHistory
  /** Active ones. */
  readonly violations: readonly ActiveViolation[]
  /** Those that no person revoked, ended ones included. */
  readonly acceptances: readonly Acceptance[]
  /** What drift rules compare with instead of the last scan. */
  readonly expected: ExpectedState | undefined
  /** The last approval of a state of it, also one that a person revoked. */
  readonly approval: Approval | undefined
  /** Of the runs that found its violations last, those that another policy, configuration or program evaluated. */
  readonly otherRules: ReadonlyMap<number, OtherRules>
  /** Uids of the removals that each listing withheld last. */
  readonly withheld: ReadonlyMap<Listing, readonly string[]>
  /** Uids of resources that nothing referred to. */
  readonly unreferenced: ReadonlyMap<Kind, ReadonlySet<string>>
  /** What the last scan left: its items by their bytes, and when filter rows were read. */
  readonly items: string | undefined
  readonly rows: string | undefined
}

export async function readBefore(
  { ref, expected }: AuditedProject,
  { draft, evaluator, now }: Pick<OpenRun, 'draft' | 'evaluator' | 'now'>,
): Promise<ProjectBefore> {
  const versions = new KnownVersions(await draft.current(ref))
  const lastScan = await draft.lastScannedRun(ref)
  const violations = await draft.unconfirmedViolations(ref)
  const approvals = await listApprovalsOf(draft.past, ref)
  const lastRuns = [lastScan, ...violations.map(({ lastRun }) => lastRun)].filter((run) => run !== undefined)
  return {
    versions,
    lastScan,
    lastComplete: await readCompleteScans(draft.past, ref, draft.run - 1),
    history: await draft.historyOf(ref, await countedSince(draft, lastScan, { evaluator, now })),
    violations,
    acceptances: (await draft.acceptancesOf([ref])).get(ref.name) ?? [],
    expected: expected ?? (await approvedState(draft.past, approvals, versions)),
    approval: approvals.findLast(({ confirms }) => confirms === undefined),
    otherRules: await draft.otherRules([...new Set(lastRuns)]),
    withheld: await draft.previouslyWithheld(ref),
    unreferenced: await draft.unreferenced(ref),
    items: await draft.reading(ref, 'items'),
    rows: await draft.reading(ref, 'filters'),
  }
}

/**
 * From when changes are read; undefined where no rule counts them. The last scan may have been long ago, and what counted
 * then is compared with what counts now.
 */
async function countedSince(
  draft: Pick<ScanDraft, 'past'>,
  lastScan: number | undefined,
  { evaluator: { lookbackMs }, now }: Pick<OpenRun, 'evaluator' | 'now'>,
): Promise<string | undefined> {
  if (lookbackMs === 0) return undefined
  const times = lastScan === undefined ? undefined : await readRunTimes(draft.past, [lastScan])
  const then = Date.parse(times?.get(lastScan ?? 0)?.started_at ?? '')
  return new Date(Math.max(0, (then < now ? then : now) - lookbackMs)).toISOString()
}

/**
 * Reads the past of resources of which the audit asks more than what they were before: what is younger than the last
 * complete scan, or than a violation that is unknown since, or has fields in doubt, or changed lately, or is gone, or has a
 * violation with an origin. `dated`: resources that the scan shows and of which a rule asks since when a value is there.
 */
export async function readEarlier(
  { versions, lastComplete, history, violations, acceptances }: ProjectBefore,
  dated: readonly Resource[],
  { draft, project }: { readonly draft: Pick<ScanDraft, 'past'>; readonly project: ProjectRef },
): Promise<void> {
  const asked = new Map<ResourceKey, Pick<Resource, 'kind' | 'uid'>>()
  const ask = ({ kind, uid }: Pick<Resource, 'kind' | 'uid'>) => asked.set(resourceKey({ kind, uid }), { kind, uid })
  const unknownSince = Math.min(...violations.map(({ lastRun = Number.POSITIVE_INFINITY }) => lastRun))
  for (const version of versions.all()) {
    const compared = Math.min(lastComplete[version.kind]?.run ?? Number.POSITIVE_INFINITY, unknownSince)
    if (version.fromRun > compared || version.facts.includes('"doubts":')) ask(version)
  }
  const ended = Number.isFinite(unknownSince) ? await readEndedSince(draft.past, project, unknownSince) : []
  for (const one of ended) ask(one)
  for (const one of [...history.withOrigin, ...history.modifications, ...dated]) ask(one)
  const isGone = ({ kind, uid }: Pick<Resource, 'kind' | 'uid'>) => versions.find(kind, uid) === undefined
  for (const violation of violations) if (violation.lastRun !== undefined || isGone(violation)) ask(violation)
  for (const acceptance of acceptances) if (isGone(acceptance)) ask(acceptance)
  const resources = [...asked.values()]
  versions.takeEnded(resources, await readEarlierVersions(draft.past, project, resources))
}

/** What an audit may know of earlier runs. */
export interface EarlierRuns {
  /** When those began and ended that it names: those that it compares with, and that wrote current versions. */
  readonly times: Awaited<ReturnType<typeof readRunTimes>>
  /** Whether some are gone in which changes that rules count may have been made. */
  readonly areLacking: boolean
}

/** `since`: from when rules count changes; undefined where none does. */
export async function readEarlierRuns(
  { versions, lastScan, lastComplete, violations }: ProjectBefore,
  draft: Pick<ScanDraft, 'past' | 'run'>,
  since: string | undefined,
): Promise<EarlierRuns> {
  const runs = new Set(Object.values(lastComplete).map(({ run }) => run))
  if (lastScan !== undefined) runs.add(lastScan)
  for (const version of versions.all()) runs.add(version.fromRun)
  for (const { firstRun, lastRun = firstRun } of violations) runs.add(firstRun).add(lastRun)
  return {
    times: await readRunTimes(draft.past, [...runs]),
    areLacking: since !== undefined && violations.length > 0 && (await lacksRunsSince(draft.past, since, draft.run)),
  }
}

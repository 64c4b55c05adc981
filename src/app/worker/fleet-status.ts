import type { CoverageStatus } from '../../model/coverage.ts'
import type { Report, ReportViolation } from '../../model/report.ts'
import { policyProject, type WalkedListing } from '../../model/resource.ts'
import { isOpen, isOverdue, isUnchecked, overdueRule, type Severity } from '../../model/violation.ts'

/**
 * The state of each project, by its name, from the last run that scanned it: schedules cover different projects. Times
 * are in milliseconds since the epoch.
 */
export type FleetStatus = ReadonlyMap<string, ProjectView>

interface ProjectView {
  /** By listing, the end of the last run that walked it to its end. */
  readonly lastCompleteAt: ReadonlyMap<WalkedListing, number>
  readonly statuses: ReadonlyMap<WalkedListing, CoverageStatus>
  readonly drift: Readonly<Record<'added' | 'removed' | 'modified', number>>
  readonly violations: readonly OpenCount[]
  readonly ages: readonly OpenAge[]
}

interface OpenCount {
  readonly severity: Severity
  readonly rule: string
  readonly count: number
  /** Of these, those that the last scan could not check. */
  readonly unknown: number
}

/** Open violations of a severity. */
interface OpenAge {
  readonly severity: Severity
  /** When the oldest was first seen, in milliseconds since the epoch. */
  readonly oldest: number
  /** How many were past their due date when the run began. */
  readonly overdue: number
}

export const emptyFleetStatus: FleetStatus = new Map()

/** Adds a later run to the known state. */
export function addRun(fleet: FleetStatus, report: Report): FleetStatus {
  const at = Date.parse(report.run.finished_at)
  const next = new Map(fleet)
  const drift = Map.groupBy(report.drift, ({ project }) => project)
  // What a scan could not check is not solved.
  const held = report.violations.filter((violation) => isOpen(violation) || isUnchecked(violation))
  const violations = Map.groupBy(held, ({ project }) => project)
  // No listing is about the policy, and each run decides what is open about it.
  const walksOf = Map.groupBy(report.coverage, ({ project }) => project).set(policyProject.name, [])
  for (const [project, walks] of walksOf) {
    const before = fleet.get(project)
    const complete = walks.filter(({ status }) => status === 'complete')
    const changes = { added: 0, removed: 0, modified: 0 }
    for (const { change } of drift.get(project) ?? []) changes[change] += 1
    next.set(project, {
      lastCompleteAt: new Map([
        ...(before?.lastCompleteAt ?? []),
        ...complete.map(({ listing }) => [listing, at] as const),
      ]),
      statuses: new Map(walks.map(({ listing, status }) => [listing, status])),
      drift: changes,
      violations: countRules(violations.get(project) ?? []),
      ages: readAges(violations.get(project) ?? [], Date.parse(report.run.started_at)),
    })
  }
  if (!violations.has(policyProject.name)) next.delete(policyProject.name)
  return next
}

/** Adds the ends of earlier complete walks to the known state of a project. */
export function addPast(
  fleet: FleetStatus,
  project: string,
  completeAt: ReadonlyMap<WalkedListing, number>,
): FleetStatus {
  const view = fleet.get(project)
  if (view === undefined) return fleet
  return new Map(fleet).set(project, { ...view, lastCompleteAt: new Map([...completeAt, ...view.lastCompleteAt]) })
}

/** Since when the state of the whole project is known: the oldest of its listings' last complete walks. */
export function seenWholeAt({ statuses, lastCompleteAt }: ProjectView): number | undefined {
  const due = [...statuses].filter(([, status]) => status !== 'skipped')
  const times = due.map(([listing]) => lastCompleteAt.get(listing))
  if (times.length === 0) return undefined
  return times.reduce((oldest, at) => (oldest === undefined || at === undefined ? undefined : Math.min(oldest, at)))
}

/** Open violations of all projects together, by severity and rule. */
export function openViolations(fleet: FleetStatus): readonly OpenCount[] {
  return sumByRule([...fleet.values()].flatMap(({ violations }) => violations))
}

/** What is overdue is counted with the violations themselves. */
function readAges(open: Report['violations'], at: number): OpenAge[] {
  const bySeverity = Map.groupBy(
    open.filter(({ rule }) => rule !== overdueRule),
    ({ severity }) => severity,
  )
  return [...bySeverity].map(([severity, group]) => ({
    severity,
    oldest: group.reduce((least, { first_seen }) => Math.min(least, Date.parse(first_seen)), Number.POSITIVE_INFINITY),
    overdue: group.filter((violation) => isOverdue(violation, at)).length,
  }))
}

function countRules(violations: readonly ReportViolation[]): OpenCount[] {
  return sumByRule(
    violations.map(({ severity, rule, state }) => ({ severity, rule, count: 1, unknown: state === 'unknown' ? 1 : 0 })),
  )
}

function sumByRule(counts: readonly OpenCount[]): OpenCount[] {
  const groups = Map.groupBy(counts, ({ severity, rule }) => `${severity} ${rule}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const sum = (of: (one: OpenCount) => number) => group.reduce((total, one) => total + of(one), 0)
    return [{ ...first, count: sum(({ count }) => count), unknown: sum(({ unknown }) => unknown) }]
  })
}

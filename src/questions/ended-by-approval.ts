import { z } from 'zod'
import type { ComparedApproval } from '../audit/approve-run.ts'
import { compareFields } from '../gateway/inventory/compare-fields.ts'
import { approvedRun, type NewApproval } from '../history/approvals.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import { readStateBodies } from '../history/sql/approvals.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { projectFinder, readLatestScans } from '../history/sql/scans.ts'
import { readVersionsAt } from '../history/sql/state-at.ts'
import { readViolationsAt } from '../history/sql/violations.ts'
import { decidedBy } from '../model/ending.ts'
import { schemas } from '../model/report.ts'
import { projectKey, resourceKey } from '../model/resource.ts'
import { count, countEach } from '../model/text/count.ts'
import { neutralise } from '../model/text/neutralise.ts'
import { countSeverities, isAtLeast, severities } from '../model/violation.ts'
import { describeDecision } from '../report/describe-ending.ts'
import { plain } from '../report/document/terminal.ts'
import { acceptedPaths, touches } from '../rules/accepted-values.ts'
import { rules } from '../rules/rules.ts'
import { nameProjects } from './baseline-diff.ts'

/** A violation that an approval ends with the next run, unless something changes before. */
export const endedRow = z.object({
  fingerprint: z.string().regex(/^[0-9a-f]{32}$/),
  rule: z.string(),
  severity: schemas.severity,
  state: z.enum(['opened', 'continuing', 'unknown', 'waived']),
  project: schemas.project,
  kind: schemas.kind,
  uid: z.string(),
  name: z.string(),
  path: z.string().describe('JSON Pointer into the attributes.'),
  message: z.string(),
})
export type EndedRow = z.infer<typeof endedRow>

/** Rules that compare with an approved state. */
const comparing: ReadonlySet<string> = new Set(
  rules.flatMap(({ id, life }) => (life === 'approved' || life === 'restored' ? [id] : [])),
)

/** Active violations of drift rules about something that the approved states have as it is now; the worst first. */
export async function readEndedBy(
  history: HistoryReader,
  approvals: readonly NewApproval[],
): Promise<readonly EndedRow[]> {
  const last = await findLastRun(history)
  if (last === undefined) return []
  const projectOf = projectFinder(await readLatestScans(history, last.number))
  const active = (await readViolationsAt(history, last.number)).filter(({ rule }) => comparing.has(rule))
  const ofProjects = Map.groupBy(active, (violation) => {
    const project = projectOf(violation)
    return project && projectKey(project)
  })
  const ended: RecordedViolation[] = []
  for (const approval of approvals) {
    const ofProject = ofProjects.get(projectKey(approval.project)) ?? []
    ended.push(...(await endedIn(history, approval, ofProject, last.number)))
  }
  // What the schema does not have is left out.
  return severities.flatMap((severity) => endedRow.array().parse(ended.filter((one) => one.severity === severity)))
}

async function endedIn(
  history: HistoryReader,
  approval: NewApproval,
  violations: readonly RecordedViolation[],
  run: number,
): Promise<readonly RecordedViolation[]> {
  if (violations.length === 0 || approval.confirms !== undefined) return []
  const { project, state, amendments, approves } = approval
  const stored = new Map((state.resources ?? []).map((one) => [resourceKey(one), one]))
  const approvedRun = 'run' in state ? state.run : undefined
  const approvedState = { project, run: approvedRun, amendments }
  const approved = await readStateBodies(history, approvedState, violations, async () => stored)
  const now = await readVersionsAt(
    history,
    project,
    violations.map(({ kind, uid }) => ({ kind, uid, run })),
  )
  // What was approved earlier is part of the state, but not of what this approval ends.
  const changed = approves && new Set(approves.map(resourceKey))
  return violations.filter((violation, at) => {
    const [before, after] = [approved[at], now[at]]
    if (changed?.has(resourceKey(violation)) === false) return false
    // Approved as gone, or approved while it was there.
    if (before === undefined || after === undefined) return before === after
    const { asSeen } = compareFields(violation.kind, before, after)
    const paths = acceptedPaths(violation)
    return !asSeen.some(({ path }) => touches(paths, path))
  })
}

/** Whose approvals others supersede, in lines of text: once for all projects that were approved together. */
export function describeSuperseded(approvals: readonly ComparedApproval[]): readonly string[] {
  const superseded = approvals.flatMap(({ project, former, confirms }) =>
    confirms === undefined
      ? former.map((approval) => {
          const { note: reason } = approval
          const said = describeDecision(decidedBy('baseline', { ...approval, reason, run: approvedRun(approval) }))
          return { project, said }
        })
      : [],
  )
  return [...Map.groupBy(superseded, ({ said }) => said)].map(([said, alike]) =>
    neutralise(`${approvals.length === 1 ? 'This' : `${nameProjects(alike)}: this`} supersedes what was ${said}`),
  )
}

/** Those that no one may end without saying why. */
export function gravest(ended: readonly EndedRow[]): readonly EndedRow[] {
  return ended.filter(({ severity }) => isAtLeast(severity, 'high'))
}

const mostListed = 20

/** What an approval ends, in lines of text. */
export function describeEnded(ended: readonly EndedRow[]): readonly string[] {
  if (ended.length === 0) return []
  const counted = countEach(severities, countSeverities(ended))
  const lines = ended.slice(0, mostListed).map(({ severity, rule, path, ...resource }) => {
    const where = path === '' ? '' : ` at ${path}`
    return `  ${severity.padEnd('critical'.length)}  ${neutralise(rule)}  ${plain({ resource })}${neutralise(where)}`
  })
  const omitted = ended.length - lines.length
  return [
    `This ends ${count(ended.length, 'violation')} with the next run: ${counted}`,
    ...lines,
    ...(omitted === 0 ? [] : [`  … and ${omitted} more`]),
  ]
}

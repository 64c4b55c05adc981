import { z } from 'zod'
import { matchesProject } from '../config/choose-projects.ts'
import { compareFields, type SeenState } from '../gateway/inventory/compare-fields.ts'
import { malformedFields } from '../gateway/inventory/malformed.ts'
import { type Approval, type ApprovedResource, activeApprovals, amendedIn } from '../history/approvals.ts'
import type { HistoryReader } from '../history/reader.ts'
import { listApprovals, readApprovedResources } from '../history/sql/approvals.ts'
import { type CommittedRun, findLastRun } from '../history/sql/runs.ts'
import { type RecordedScan, readCompleteScans, readLatestScans } from '../history/sql/scans.ts'
import { readStateAt } from '../history/sql/state-at.ts'
import { AuditError } from '../model/errors.ts'
import { type ReportChange, schemas } from '../model/report.ts'
import { type Kind, projectKey, resourceKey } from '../model/resource.ts'
import { listOf } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import { type Answer, type AnswerForm, aboutScans, limited } from '../report/answer.ts'
import { isGap } from '../report/gaps.ts'
import { showTime } from '../report/text/show-time.ts'
import { configuredKinds } from '../rules/engine/rule.ts'
import { toAnswerRun, toCoverage } from './as-of.ts'
import {
  type CountedKind,
  countedKinds,
  countKinds,
  type DiffRow,
  diffView,
  sayNotCompared,
  sayResealed,
} from './diff.ts'
import { asDoubts, fieldGap, gapsOf, sayUnknown, stateIn, stateOf } from './field-gaps.ts'
import { presenceIn } from './proves-absence.ts'
import { parameter, projectParameter, question, runNamed, runOrTime } from './question.ts'

export const baselineDiffForm: AnswerForm = {
  name: 'baseline-diff',
  version: 2,
  command: 'baseline diff',
  about: aboutScans,
  row: schemas.change,
  more: {
    not_covered: countedKinds.describe('Resources that are not compared, because the baseline does not cover them.'),
    not_scanned: countedKinds.describe('Resources that are not compared, because the run did not scan them.'),
    narrowed: listOf(z.object({ project: schemas.project, kind: schemas.kind, filter: z.string() })).describe(
      'Kinds that the run scanned under a filter that the baseline was not approved under: what is outside of it is compared as it was last seen.',
    ),
    gaps: listOf(fieldGap).describe('Fields whose value is unknown: they are not as they were approved.'),
    secrets_not_compared: countedKinds.describe(
      'Resources whose secrets are not compared, because they were sealed under different keys, or in different forms.',
    ),
  },
}

export const baselineDiff = question({
  form: baselineDiffForm,
  parameters: {
    project: projectParameter,
    run: parameter(
      '--run <run|time>',
      `the run to compare: ${runOrTime} (default: the last one)`,
      z.string().optional(),
    ),
  },
  isOfRun: false,
  async read(history, { project: projects, run: named }, { limit }) {
    const run = named === undefined ? undefined : await runNamed(history, named)
    const approvals = await listApprovals(history)
    const { answer, isPartial } = await readBaselineDiff(history, { run, projects, limit, approvals })
    const extent = isPartial ? ' in what was scanned; the rest is unknown' : ''
    return { answer, view: { ...diffView, nothing: `Nothing differs from the approved baseline${extent}.` } }
  },
})

interface BaselineDiffQuery {
  /** undefined: the last one. */
  readonly run: CommittedRun | undefined
  readonly projects: readonly string[]
  readonly limit: number
  /** Of which those in force are compared with. */
  readonly approvals: readonly Approval[]
}

/** What differs in a run from the approved baselines. `isPartial`: something was not compared. */
export async function readBaselineDiff(
  history: HistoryReader,
  { run, projects, limit, approvals: all }: BaselineDiffQuery,
): Promise<{ readonly answer: Answer<DiffRow>; readonly isPartial: boolean }> {
  const last = run ?? (await findLastRun(history))
  const approvals = activeApprovals(all)
    .filter(({ project }) => matchesProject(project.name, projects))
    .sort((a, b) => (a.project.name < b.project.name ? -1 : 1))
  if (last === undefined || approvals.length === 0) {
    throw AuditError.usage(`no baseline is approved${projects.length === 0 ? '' : ` for ${projects.join(' ')}`}`, {
      advice: '`hookdrift baseline approve` approves the state of the last run',
    })
  }
  const approved = new Set(approvals.map(({ project }) => projectKey(project)))
  const scans = (await readLatestScans(history, last.number)).filter(({ project }) => approved.has(projectKey(project)))
  const differences = await Promise.all(
    approvals.map((approval) => {
      const scan = scans.find(({ project }) => projectKey(project) === projectKey(approval.project))
      return compare(history, approval, { run: last.number, coverage: scan?.coverage ?? [] })
    }),
  )
  const notCovered = countKinds(differences.flatMap((one) => one.notCovered))
  const notScanned = countKinds(differences.flatMap((one) => one.notScanned))
  const secretsNotCompared = countKinds(differences.flatMap(({ resealed }) => resealed))
  const gaps = differences.flatMap((one) => one.gaps)
  const narrowed = differences.flatMap((one) => one.narrowed)
  const notCompared = [
    ...notCovered.map(sayNotCompared('the baseline does not cover them')),
    ...secretsNotCompared.map(sayResealed),
    ...gaps.map(sayUnknown),
    ...notScanned.map(sayNotCompared(`not scanned by run ${last.number}`)),
    ...narrowed.map(({ project, kind, filter }) => {
      return `${project}: every ${kind} outside of ${filter} is compared as it was last seen: the scan has that filter.`
    }),
  ]
  const rows = differences.flatMap((one) => one.rows)
  const remarks = [...sayApprovals(approvals), ...notCompared]
  const more = {
    not_covered: notCovered,
    not_scanned: notScanned,
    narrowed,
    gaps,
    secrets_not_compared: secretsNotCompared,
  }
  // Also of projects that left the fleet: their baselines are in force until a person revokes them.
  const extent = { run: toAnswerRun(last), coverage: scans.flatMap(toCoverage) }
  return {
    answer: { form: baselineDiffForm, ...extent, more, remarks, unknown: notCompared, ...limited(rows, limit) },
    isPartial: notCompared.length > 0 || extent.coverage.some(isGap),
  }
}

const mostNamed = 5

/** With what projects are compared: once for all that were approved together. */
function sayApprovals(approvals: readonly Approval[]): string[] {
  return [...Map.groupBy(approvals, nameOf)].map(([name, alike]) => {
    return `${nameProjects(alike)}: compared with ${name}.`
  })
}

/** The first few, and how many more. */
export function nameProjects(alike: readonly Pick<Approval, 'project'>[]): string {
  const named = alike.slice(0, mostNamed).map(({ project }) => project.name)
  const others = alike.length - named.length
  return [...named, ...(others === 0 ? [] : [`${others} more`])].join(', ')
}

async function compare(
  history: HistoryReader,
  approval: Approval,
  { run, coverage }: { readonly run: number; readonly coverage: RecordedScan['coverage'] },
) {
  const { project, scopes } = approval
  const listed = await readCompleteScans(history, project, run)
  const before = new Map((await readApprovedResources(history, approval)).map((one) => [resourceKey(one), one]))
  const now = new Map((await readStateAt(history, project, run)).map((one) => [resourceKey(one), one]))
  const { runOf } = amendedIn(approval)
  const rows: ReportChange[] = []
  const doubted: { readonly kind: Kind; readonly doubts: SeenState['doubts'] }[] = []
  const notCovered: Omit<CountedKind, 'resources'>[] = []
  const notScanned: Omit<CountedKind, 'resources'>[] = []
  const resealed: Omit<CountedKind, 'resources'>[] = []
  for (const key of [...new Set([...before.keys(), ...now.keys()])].sort()) {
    const [old, current] = [before.get(key), now.get(key)]
    const { kind, uid, name } = current ?? old ?? unnamed
    if (!isConfigured(kind)) continue
    // What a run has that was approved is there, or was proven to be gone: not before, and no run has what files have.
    const isLater = run >= (runOf({ kind, uid }) ?? Number.POSITIVE_INFINITY)
    const approved = { state: old, view: scopes[kind] }
    const presence = presenceIn(kind, approved, { state: current, view: listed[kind], isLater })
    const row = { project: project.name, kind, uid, name }
    const counted = { project: project.name, kind }
    if (presence === 'unknown') {
      if (old === undefined && !current?.isUnreferenced) notCovered.push(counted)
      else notScanned.push(counted)
    }
    if (presence === 'only_in_a') rows.push({ ...row, change: 'removed', fields: [] })
    if (presence === 'only_in_b') rows.push({ ...row, change: 'added', fields: [] })
    if (old === undefined || current === undefined || presence !== 'both') continue
    const compared = compareFields(
      kind,
      stateIn(coverage, kind, withMalformed(old)),
      stateIn(coverage, kind, stateOf(current)),
    )
    const { asSeen: fields } = compared
    if (compared.resealed.length > 0) resealed.push(counted)
    if (fields.length > 0) rows.push({ ...row, change: 'modified', fields })
    doubted.push({ kind, doubts: asDoubts(kind, compared.unknown) })
  }
  const narrowed = configuredKinds.flatMap((kind) => {
    const [approved, filter] = [scopes[kind], listed[kind]?.filter ?? null]
    return approved === undefined || filter === null || filter === approved.filter
      ? []
      : [{ project: project.name, kind, filter }]
  })
  return { rows, notCovered, notScanned, resealed, narrowed, gaps: gapsOf(project.name, doubted) }
}

/** No facts are kept of what came from files, or was approved by itself. */
function withMalformed({ kind, attributes, doubts, sealKeyId }: ApprovedResource): SeenState {
  const malformed = malformedFields(kind, attributes).map((path) => ({ path, cause: 'malformed' as const }))
  return { attributes, doubts: { ...asDoubts(kind, malformed), ...doubts }, sealKeyId }
}

const unnamed = { kind: 'endpoint', uid: '', name: '' } as const

function isConfigured(kind: Kind): boolean {
  return configuredKinds.some((configured) => configured === kind)
}

function nameOf({ run, amendments = [], at, by }: Approval): string {
  const state = run === undefined ? 'files' : `run ${run}`
  // Who approved single resources did not approve the rest.
  const since = amendments.length === 0 ? ',' : ` and ${count(amendments.length, 'single resource')}, last`
  return `${state}${since} approved ${showTime(at)} by ${by}`
}

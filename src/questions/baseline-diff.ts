import { z } from 'zod'
import { matchesProject } from '../config/choose-projects.ts'
import { type Approval, type ApprovedResource, activeApprovals, amendedIn } from '../history/approvals.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { CompleteScans, View } from '../history/records.ts'
import { listApprovals, readApprovedResources } from '../history/sql/approvals.ts'
import { type CommittedRun, findLastRun } from '../history/sql/runs.ts'
import { readCompleteScans, readLatestScans } from '../history/sql/scans.ts'
import { type ResourceAtRun, readStateAt } from '../history/sql/state-at.ts'
import { parseStored } from '../history/stored-body.ts'
import { diffAttributes, sealedOtherwise } from '../inventory/diff-attributes.ts'
import { AuditError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { type ReportChange, schemas } from '../model/report.ts'
import { type Kind, projectKey, resourceKey } from '../model/resource.ts'
import { listOf } from '../model/schema.ts'
import { type Answer, type AnswerForm, aboutScans, limited } from '../report/answer.ts'
import { isGap } from '../report/gaps.ts'
import { showTime } from '../report/text/show-time.ts'
import { configuredKinds } from '../rules/engine/rule.ts'
import { count } from '../text/count.ts'
import { toAnswerRun, toCoverage } from './as-of.ts'
import { type CountedKind, countedKinds, type DiffRow, diffView, sayNotCompared, sayResealed } from './diff.ts'
import { fieldGap, readFieldGaps, sayUnknown } from './field-gaps.ts'
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
  const rows: ReportChange[] = []
  const [notCovered, notScanned, secretsNotCompared]: [CountedKind[], CountedKind[], CountedKind[]] = [[], [], []]
  const narrowed: { readonly project: string; readonly kind: Kind; readonly filter: string }[] = []
  for (const approval of approvals) {
    const differences = await compare(history, approval, last.number)
    const ofProject = (kinds: ReadonlyMap<Kind, number>) =>
      [...kinds].map(([kind, resources]) => ({ project: approval.project.name, kind, resources }))
    rows.push(...differences.rows)
    notCovered.push(...ofProject(differences.unknown))
    notScanned.push(...ofProject(differences.unseen))
    secretsNotCompared.push(...ofProject(differences.resealed))
    narrowed.push(...differences.narrowed.map((one) => ({ project: approval.project.name, ...one })))
  }
  const gaps = await readFieldGaps(history, scans, last.number)
  const notCompared = [
    ...notCovered.map(sayNotCompared('the baseline does not cover them')),
    ...secretsNotCompared.map(sayResealed),
    ...gaps.map(sayUnknown),
    ...notScanned.map(sayNotCompared(`not scanned by run ${last.number}`)),
    ...narrowed.map(({ project, kind, filter }) => {
      return `${project}: every ${kind} outside of ${filter} is compared as it was last seen: the scan has that filter.`
    }),
  ]
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

async function compare(history: HistoryReader, approval: Approval, run: number) {
  const { project, scopes } = approval
  const baselines = await readCompleteScans(history, project, run)
  const before = new Map((await readApprovedResources(history, approval)).map((one) => [resourceKey(one), one]))
  const now = new Map((await readStateAt(history, project, run)).map((one) => [resourceKey(one), one]))
  const { runOf } = amendedIn(approval)
  const rows: ReportChange[] = []
  const unknown = new Map<Kind, number>()
  const unseen = new Map<Kind, number>()
  const resealed = new Map<Kind, number>()
  for (const key of [...new Set([...before.keys(), ...now.keys()])].sort()) {
    const [old, current] = [before.get(key), now.get(key)]
    const { kind, uid, name } = current ?? old ?? unnamed
    if (!isConfigured(kind)) continue
    const isShown = isSameView(scopes[kind], baselines[kind])
    if (old === undefined && !isShown) {
      unknown.set(kind, (unknown.get(kind) ?? 0) + 1)
      continue
    }
    // A run before the approved one need not have seen what that one saw, and no run what files have.
    const isUnseen = current === undefined && !isShown && run < (runOf({ kind, uid }) ?? Number.POSITIVE_INFINITY)
    if (isUnseen || current?.isUnreferenced) {
      unseen.set(kind, (unseen.get(kind) ?? 0) + 1)
      continue
    }
    const row = { project: project.name, kind, uid, name }
    if (old === undefined) rows.push({ ...row, change: 'added', fields: [] })
    else if (current === undefined) rows.push({ ...row, change: 'removed', fields: [] })
    else {
      if (isResealed(old, current)) resealed.set(kind, (resealed.get(kind) ?? 0) + 1)
      const fields = fieldsBetween(old, current)
      if (fields.length > 0) rows.push({ ...row, change: 'modified', fields })
    }
  }
  const narrowed = configuredKinds.flatMap((kind) => {
    const [approved, filter] = [scopes[kind], baselines[kind]?.filter ?? null]
    return approved === undefined || filter === null || filter === approved.filter ? [] : [{ kind, filter }]
  })
  return { rows, unknown, unseen, resealed, narrowed }
}

const unnamed = { kind: 'endpoint', uid: '', name: '' } as const

function fieldsBetween({ kind, attributes, sealKeyId }: ApprovedResource, now: ResourceAtRun) {
  // A stored body is canonical JSON of an object, written by us.
  return diffAttributes(kind, attributes, parseStored(now.body), { sealsComparable: sealKeyId === now.sealKeyId })
}

/** Whether both hold secrets that cannot be compared, since different keys or versions sealed them. */
function isResealed({ attributes, sealKeyId }: ApprovedResource, now: ResourceAtRun): boolean {
  const sealsComparable = sealKeyId === now.sealKeyId
  return sealedOtherwise(attributes, parseStored<Json>(now.body), { sealsComparable }).length > 0
}

function isConfigured(kind: Kind): boolean {
  return configuredKinds.some((configured) => configured === kind)
}

function isSameView(before: View | undefined, now: CompleteScans[Kind]): boolean {
  return before !== undefined && now !== undefined && before.listing === now.listing && before.filter === now.filter
}

function nameOf({ run, amendments = [], at, by }: Approval): string {
  const state = run === undefined ? 'files' : `run ${run}`
  // Who approved single resources did not approve the rest.
  const since = amendments.length === 0 ? ',' : ` and ${count(amendments.length, 'single resource')}, last`
  return `${state}${since} approved ${showTime(at)} by ${by}`
}

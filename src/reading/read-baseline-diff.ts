import { isChosen } from '../config/choose-projects.ts'
import { type Approval, type ApprovedResource, holding } from '../history/approvals.ts'
import type { Baselines, History, View } from '../history/history.ts'
import type { ResourceThen } from '../history/reader.ts'
import { diffAttributes } from '../inventory/diff-attributes.ts'
import { AuditError } from '../model/errors.ts'
import { projectKey, resourceKey } from '../model/keys.ts'
import type { ReportChange } from '../model/report.ts'
import type { Kind } from '../model/resource.ts'
import type { Answer } from '../report/answer.ts'
import { count } from '../report/count.ts'
import { limited } from '../report/show-answer.ts'
import { showTime } from '../report/text/show-time.ts'
import { configuredKinds } from '../rules/drift.ts'
import { statingExtent } from './as-of.ts'

interface Asked {
  readonly projects: readonly string[]
  readonly limit: number
}

/** What is otherwise, as of the last run, than what was approved. */
export async function readBaselineDiff(history: History, { projects, limit }: Asked): Promise<Answer<ReportChange>> {
  const last = await history.lastRun()
  const approvals = holding(await history.approvals())
    .filter(({ project }) => isChosen(project.name, projects))
    .sort((a, b) => (a.project.name < b.project.name ? -1 : 1))
  if (last === undefined || approvals.length === 0) {
    throw new AuditError(2, `no baseline is approved${projects.length === 0 ? '' : ` of ${projects.join(' ')}`}`, {
      advice: '`hookdrift baseline approve` approves the state of the last run',
    })
  }
  const approved = new Set(approvals.map(({ project }) => projectKey(project)))
  const looks = (await history.looksAt(last.number)).filter(({ project }) => approved.has(projectKey(project)))
  const rows: ReportChange[] = []
  const remarks: string[] = []
  for (const approval of approvals) {
    const found = await compare(history, approval, last.number)
    rows.push(...found.rows)
    remarks.push(`${approval.project.name}: compared with ${nameOf(approval)}.`)
    for (const [kind, resources] of found.unknown) {
      remarks.push(`${approval.project.name}: ${count(resources, kind)} not compared: nobody had looked there so.`)
    }
  }
  return { command: 'baseline', ...statingExtent(last, looks), remarks, ...limited(rows, limit) }
}

async function compare(history: History, approval: Approval, run: number) {
  const { project, looks } = approval
  const baselines = await history.baselinesAt(project, run)
  const before = new Map((await history.approvedResources(approval)).map((one) => [resourceKey(one), one]))
  const now = new Map((await history.stateAt(project, run)).map((one) => [resourceKey(one), one]))
  const rows: ReportChange[] = []
  const unknown = new Map<Kind, number>()
  for (const key of [...new Set([...before.keys(), ...now.keys()])].sort()) {
    const [old, current] = [before.get(key), now.get(key)]
    const { kind, uid, name } = current ?? old ?? nobody
    if (!isConfigured(kind)) continue
    if (old === undefined && !isSameView(looks[kind], baselines[kind])) {
      unknown.set(kind, (unknown.get(kind) ?? 0) + 1)
      continue
    }
    const row = { project: project.name, kind, uid, name }
    if (old === undefined) rows.push({ ...row, change: 'added', fields: [] })
    else if (current === undefined) rows.push({ ...row, change: 'removed', fields: [] })
    else {
      const fields = fieldsBetween(old, current)
      if (fields.length > 0) rows.push({ ...row, change: 'modified', fields })
    }
  }
  return { rows, unknown }
}

const nobody = { kind: 'endpoint', uid: '', name: '' } as const

function fieldsBetween({ kind, attributes, sealKeyId }: ApprovedResource, now: ResourceThen) {
  // What we wrote ourselves as canonical JSON of an object.
  return diffAttributes(kind, attributes, JSON.parse(now.body), { sealsComparable: sealKeyId === now.sealKeyId })
}

function isConfigured(kind: Kind): boolean {
  return configuredKinds.some((configured) => configured === kind)
}

function isSameView(before: View | undefined, now: Baselines[Kind]): boolean {
  return before !== undefined && now !== undefined && before.listing === now.listing && before.filter === now.filter
}

function nameOf({ run, at, by }: Approval): string {
  const state = run === undefined ? 'files' : `run ${run}`
  return `${state}, approved ${showTime(at)} by ${by}`
}

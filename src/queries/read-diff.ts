import { matchesProject } from '../config/choose-projects.ts'
import type { CommittedRun, Differing, HistoryReader, KeptVersion } from '../history/reader.ts'
import type { CompleteScans } from '../history/records.ts'
import { diffAttributes } from '../inventory/diff-attributes.ts'
import type { FieldChange } from '../model/change.ts'
import { differingMembers } from '../model/differing-members.ts'
import type { JsonObject } from '../model/json.ts'
import type { ReportChange } from '../model/report.ts'
import type { Kind } from '../model/resource.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerView, limited } from '../report/show-answer.ts'
import { showChange } from '../report/text/show-drift.ts'
import { showTime } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { selectProjects, statingExtent, toAnswerRun } from './as-of.ts'
import { type PatchOperation, patchBetween } from './json-patch.ts'

export interface DiffRow extends ReportChange {
  /** Turns the earlier attributes into the later ones (RFC 6902); present when requested. */
  readonly patch?: readonly PatchOperation[]
}

export interface DiffQuery {
  readonly from: CommittedRun
  readonly to: CommittedRun
  readonly projects: readonly string[]
  readonly kind: Kind | undefined
  readonly withPatch: boolean
  readonly limit: number
}

/**
 * What differs in run `to` from run `from`; either may be the earlier one. Resources of a kind that no run had scanned
 * by the earlier one are counted as not compared, not listed as added.
 */
export async function readDiff(reader: HistoryReader, query: DiffQuery): Promise<Answer<DiffRow>> {
  const { from, to, projects, kind, withPatch, limit } = query
  const isBackwards = from.number > to.number
  const [earlier, later] = isBackwards ? [to, from] : [from, to]
  const scans = selectProjects(await reader.latestScans(later.number), projects)
  const wasScanned = scannedProjectsAt(reader, earlier)
  const rows: DiffRow[] = []
  const unseen: Differing[] = []
  for (const pair of await reader.differing(earlier.number, later.number)) {
    if (!matchesProject(pair.project.name, projects) || (kind !== undefined && pair.kind !== kind)) continue
    if (pair.before === undefined && !(await wasScanned(pair))) unseen.push(pair)
    else rows.push(...toRows(isBackwards ? { ...pair, before: pair.after, after: pair.before } : pair, withPatch))
  }
  const extent = isBackwards ? selectProjects(await reader.latestScans(to.number), projects) : scans
  const notScanned = countUnseen(unseen)
  return {
    command: 'diff',
    ...statingExtent(to, extent),
    more: { from: { ...toAnswerRun(from) }, not_scanned: notScanned.map((each) => ({ ...each })) },
    remarks: [
      `Compared with run ${from.number}, ${showTime(from.startedAt)}.`,
      ...notScanned.map(({ project, kind, resources }) => {
        return `${project}: ${count(resources, kind)} not compared: not scanned by run ${earlier.number}.`
      }),
    ],
    ...limited(rows, limit),
  }
}

function countUnseen(unseen: readonly Differing[]) {
  const alike = Map.groupBy(unseen, ({ project, kind }) => `${project.name} ${kind}`)
  return [...alike.values()].flatMap((pairs) => {
    const [first] = pairs
    return first === undefined ? [] : [{ project: first.project.name, kind: first.kind, resources: pairs.length }]
  })
}

/** Reads the scans of each project once. */
function scannedProjectsAt(reader: HistoryReader, { number }: CommittedRun) {
  const known = new Map<string, CompleteScans>()
  return async ({ project, kind }: Differing): Promise<boolean> => {
    const baselines = known.get(project.name) ?? (await reader.completeScansAt(project, number))
    known.set(project.name, baselines)
    return kind in baselines
  }
}

function toRows({ project, kind, uid, before, after }: Differing, withPatch: boolean): DiffRow[] {
  const row = { project: project.name, kind, uid, name: (after ?? before)?.name ?? '' }
  if (before === undefined || after === undefined) {
    const change = before === undefined ? 'added' : 'removed'
    const patch = after === undefined ? wholeRemoved : [{ op: 'add', path: '', value: attributesOf(after) } as const]
    return [{ ...row, change, fields: [], ...(withPatch ? { patch } : {}) }]
  }
  const fields = fieldsBetween(kind, before, after)
  if (fields.length === 0) return []
  const patch = withPatch ? { patch: patchBetween(attributesOf(before), attributesOf(after)) } : {}
  return [{ ...row, change: 'modified', fields, ...patch }]
}

const wholeRemoved = [{ op: 'remove', path: '' }] as const

/** Compares field by field; seals of different installation keys are not comparable. */
export function fieldsBetween(kind: Kind, before: KeptVersion, after: KeptVersion): FieldChange[] {
  const sealsComparable = before.sealKeyId === after.sealKeyId
  const [earlier, later] = differingMembers(before.body, after.body)
  return diffAttributes(kind, JSON.parse(earlier), JSON.parse(later), { sealsComparable })
}

/** A stored body is canonical JSON of an object, written by us. */
export function attributesOf({ body }: KeptVersion): JsonObject {
  return JSON.parse(body)
}

export const diffView: AnswerView<DiffRow> = {
  columns: [
    ...(['project', 'kind', 'uid', 'name', 'change'] as const).map((name) => ({
      name,
      value: (row: DiffRow) => row[name],
    })),
    ...['path', 'before', 'after'].map((name) => ({ name, value: () => null })),
  ],
  records({ project, kind, uid, name, change, fields }) {
    const who = [project, kind, uid, name, change]
    if (fields.length === 0) return [[...who, null, null, null]]
    return fields.map(({ path, before, after }) => [...who, path, before, after])
  },
  lines({ rows, omitted }, page) {
    const heading = page.paint('heading', count(rows.length + (omitted === 'unknown' ? 0 : omitted), 'change'))
    return [heading, '', ...rows.flatMap((row) => showChange(row, page))]
  },
  nothing: 'Nothing differs.',
}

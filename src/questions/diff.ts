import { z } from 'zod'
import { matchesProject } from '../config/choose-projects.ts'
import { compareFields } from '../gateway/inventory/compare-fields.ts'
import { firstInOrder } from '../history/first-in-order.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { CompleteScans } from '../history/records.ts'
import { compareText, inResourceOrder } from '../history/report-order.ts'
import { type ResourceDifference, visitDiffering } from '../history/sql/differing.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readCompleteScans, readLatestScans } from '../history/sql/scans.ts'
import type { StateVersion } from '../history/sql/state-at.ts'
import { isCoverageComplete } from '../model/coverage.ts'
import { AuditError } from '../model/errors.ts'
import { isJsonObject, type Json, type JsonObject, memberOf, pointerStep } from '../model/json.ts'
import { schemas } from '../model/report.ts'
import { type Kind, type ProjectRef, projectKey } from '../model/resource.ts'
import { anyJson, listOf } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans } from '../report/answer.ts'
import { list, text } from '../report/document/blocks.ts'
import { changeItem } from '../report/report-items.ts'
import { showTime } from '../report/text/show-time.ts'
import { listed } from '../rules/shared/listed.ts'
import { matchingProjects, presentScans, selectProjects, statingExtent, toAnswerRun } from './as-of.ts'
import { fieldGap, readFieldGaps, sayUnknown, stateOf } from './field-gaps.ts'
import { presenceIn } from './proves-absence.ts'
import { given, kindParameter, parameter, projectParameter, question, runNamed, runOrTime } from './question.ts'

const diffRow = schemas.change.extend({
  patch: listOf(
    z.object({
      op: z.enum(['add', 'remove', 'replace']),
      path: schemas.pointer,
      value: anyJson.describe('Any JSON.').exactOptional(),
    }),
  )
    .describe('Makes the attributes of `from` those of `run` (RFC 6902); with --patch.')
    .exactOptional(),
})
export type DiffRow = z.infer<typeof diffRow>

/** Resources of a kind that are not compared, or not in full. */
const countedKind = z.object({ project: schemas.project, kind: schemas.kind, resources: schemas.count })
export const countedKinds = listOf(countedKind)
export type CountedKind = z.infer<typeof countedKind>

export const diffForm: AnswerForm = {
  name: 'diff',
  version: 3,
  about: aboutScans,
  row: diffRow,
  more: {
    from: schemas.run,
    not_scanned: countedKinds.describe(
      'Resources that are not compared, because the earlier run did not scan all of their kind.',
    ),
    gaps: listOf(fieldGap).describe('Fields whose value in one of the two is unknown: they are not equal.'),
    secrets_not_compared: countedKinds.describe(
      'Resources whose secrets are not compared, because the runs sealed them under different keys, or in different forms.',
    ),
  },
}

export const diff = question({
  form: diffForm,
  parameters: {
    from: parameter('<from>', `the earlier state: ${runOrTime}`, z.string()),
    to: parameter('[to]', 'the later state, given in the same way', z.string().default('latest')),
    patch: parameter('--patch', 'the same as --format rfc6902: JSON with a patch (RFC 6902) in each row', given),
    project: projectParameter,
    kind: kindParameter,
  },
  formats: ['rfc6902'],
  isOfRun: true,
  runIs: 'to',
  check({ patch }, { format }) {
    if (patch && format === 'csv') {
      throw AuditError.usage('--patch is JSON, but --format is csv', { advice: 'remove one of them' })
    }
  },
  async read(history, { from, to, patch = false, project: projects, kind }, { format, limit }) {
    const withPatch = patch || format === 'rfc6902'
    const runs = { from: await runNamed(history, from), to: await runNamed(history, to) }
    const answer = await readDiff(history, { from: runs.from, to: runs.to, projects, kind, withPatch, limit })
    return withPatch && format !== 'jsonl' ? { answer, view: diffView, format: 'json' } : { answer, view: diffView }
  },
})

export interface DiffQuery {
  readonly from: CommittedRun
  readonly to: CommittedRun
  readonly projects: readonly string[]
  readonly kind: Kind | undefined
  readonly withPatch: boolean
  readonly limit: number
  /** The resource after which the rows begin; absent: at the first one. */
  readonly after?: ResourceCursor | undefined
}

/** Where a row is in the order: by project, kind and uid. */
export interface ResourceCursor {
  readonly project: string
  readonly kind: Kind
  readonly uid: string
}

/**
 * What differs in run `to` from run `from`; either may be the earlier one. Resources that no run by the earlier one would
 * have shown are counted as not compared, not listed as added.
 */
export async function readDiff(reader: HistoryReader, query: DiffQuery): Promise<Answer<DiffRow>> {
  const { from, to, projects, kind, withPatch, limit, after } = query
  const isBackwards = from.number > to.number
  const [earlier, later] = isBackwards ? [to, from] : [from, to]
  const [scansFrom, scansTo] = [await readLatestScans(reader, from.number), await readLatestScans(reader, to.number)]
  const scans = selectProjects(isBackwards ? scansFrom : scansTo, projects)
  const presenceOf = await readPresences(
    reader,
    scans.map(({ project }) => project),
    { earlier, later },
  )
  const first = firstInOrder<DiffRow>(limit, inResourceOrder)
  const unseen: Omit<CountedKind, 'resources'>[] = []
  const resealed: Omit<CountedKind, 'resources'>[] = []
  let total = 0
  await visitDiffering(reader, earlier.number, later.number, (pair) => {
    if (!matchesProject(pair.project.name, projects) || (kind !== undefined && pair.kind !== kind)) return
    const counted = { project: pair.project.name, kind: pair.kind }
    if (presenceOf(pair) === 'unknown') return void unseen.push(counted)
    const { row, isResealed } = comparePair(isBackwards ? swapped(pair) : pair, withPatch)
    if (isResealed) resealed.push(counted)
    if (row === undefined) return
    if (after !== undefined && inResourceOrder({ ...pair, project: pair.project.name }, after) <= 0) return
    total++
    first.add(row)
  })
  const extent = isBackwards ? selectProjects(scansTo, projects) : scans
  const [notScanned, secretsNotCompared] = [countKinds(unseen), countKinds(resealed)]
  const gapsBefore = await readFieldGaps(reader, extent, earlier.number, kind)
  const gapsAfter = await readFieldGaps(reader, extent, later.number, kind)
  // Of a field that is unknown on both sides, what the later one says.
  const byField = new Map([...gapsBefore, ...gapsAfter].map((gap) => [`${gap.project} ${gap.kind} ${gap.field}`, gap]))
  const gaps = [...byField.values()]
  const unread = presentScans(matchingProjects(scansFrom, projects))
    .filter(({ coverage }) => !isCoverageComplete(coverage))
    .map(({ project }) => project.name)
  const unknown = [
    ...(unread.length === 0
      ? []
      : [`Run ${from.number} did not read all of ${listed(unread)}: the rest is compared as earlier runs knew it.`]),
    ...notScanned.map(sayNotCompared(`not scanned by run ${earlier.number}`)),
    ...gaps.map(sayUnknown),
    ...secretsNotCompared.map(sayResealed),
  ]
  const rows = first.values()
  return {
    form: diffForm,
    ...statingExtent(to, extent),
    more: {
      from: toAnswerRun(from),
      not_scanned: notScanned,
      gaps,
      secrets_not_compared: secretsNotCompared,
    },
    remarks: [`Compared with run ${from.number}, ${showTime(from.started_at)}.`, ...unknown],
    unknown,
    rows,
    omitted: total - rows.length,
  }
}

/** How many of each kind of each project there are. */
export function countKinds(found: readonly Omit<CountedKind, 'resources'>[]): CountedKind[] {
  return [...Map.groupBy(found, ({ project, kind }) => `${project} ${kind}`).values()]
    .flatMap((alike) => alike.slice(0, 1).map((one) => ({ ...one, resources: alike.length })))
    .sort((a, b) => compareText(a.project, b.project) || compareText(a.kind, b.kind))
}

/** A sentence about resources that are not compared. */
export function sayNotCompared(why: string): (counted: CountedKind) => string {
  return ({ project, kind, resources }) => `${project}: ${count(resources, kind)} not compared: ${why}.`
}

/** For a comparison in which nothing else may differ. */
export function sayResealed({ project, kind, resources }: CountedKind): string {
  return `${project}: secrets of ${count(resources, kind)} not compared: sealed by different keys or versions.`
}

/** In which of two runs resources are, as far as the earlier one proves that what it does not have was not there. */
async function readPresences(
  reader: HistoryReader,
  projects: readonly ProjectRef[],
  { earlier, later }: { readonly earlier: CommittedRun; readonly later: CommittedRun },
) {
  const scansByProject = new Map<string, readonly [CompleteScans, CompleteScans]>()
  for (const project of projects) {
    const read = ({ number }: CommittedRun) => readCompleteScans(reader, project, number)
    scansByProject.set(projectKey(project), [await read(earlier), await read(later)])
  }
  return ({ project, kind, before, after }: ResourceDifference) => {
    const [then, now] = scansByProject.get(projectKey(project)) ?? [{}, {}]
    const earlier = { state: before && {}, view: then[kind] }
    return presenceIn(kind, earlier, { state: after && {}, view: now[kind], isLater: true })
  }
}

function swapped({ before, after, ...resource }: ResourceDifference): ResourceDifference {
  return { ...resource, before: after, after: before }
}

/** `row`: absent where nothing differs. `isResealed`: both hold secrets that cannot be compared. */
function comparePair({ project, kind, uid, before, after }: ResourceDifference, withPatch: boolean) {
  const row = { project: project.name, kind, uid, name: (after ?? before)?.name ?? '' }
  const withoutFields = (change: 'added' | 'removed', patch: PatchOperation): { row: DiffRow; isResealed: boolean } => {
    return { row: { ...row, change, fields: [], ...(withPatch ? { patch: [patch] } : {}) }, isResealed: false }
  }
  if (after === undefined) return withoutFields('removed', { op: 'remove', path: '' })
  const [old, now] = [before && stateOf(before), stateOf(after)]
  if (old === undefined) return withoutFields('added', { op: 'add', path: '', value: now.attributes })
  const compared = compareFields(kind, old, now)
  const { asSeen: fields } = compared
  const isResealed = compared.resealed.length > 0
  if (fields.length === 0) return { row: undefined, isResealed }
  const patch = withPatch ? { patch: patchBetween(old.attributes, now.attributes) } : {}
  return { row: { ...row, change: 'modified' as const, fields, ...patch }, isResealed }
}

/** Two versions of a resource, field by field. */
export function compareVersions(kind: Kind, before: StateVersion, after: StateVersion) {
  return compareFields(kind, stateOf(before), stateOf(after))
}

export const diffView: AnswerView<DiffRow> = {
  columns: [
    { name: 'project', link: 'project' },
    'kind',
    { name: 'uid', only: 'csv' },
    { name: 'name', link: 'resource' },
    'change',
    { name: 'fields', only: 'text' },
    ...['path', 'before', 'after'].map((name) => ({ name, value: () => null })),
  ],
  records({ project, kind, uid, name, change, fields }) {
    const who = [project, kind, uid, name, change]
    if (fields.length === 0) return [[...who, null, null, null]]
    return fields.map(({ path, before, after }) => [...who, path, before, after])
  },
  blocks: ({ rows, omitted }) => [
    text(count(rows.length + (omitted === 'unknown' ? 0 : omitted), 'change'), 'strong'),
    ...list(
      'change',
      rows.map((row) => changeItem(row)),
    ),
  ],
  nothing: 'Nothing differs in what both runs scanned.',
}

/** One operation of RFC 6902. */
type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }

/**
 * The patch from `before` to `after`: objects member by member, everything else as a whole. It is in the order of
 * paths, so the same two sides always give the same patch.
 */
function patchBetween(before: JsonObject, after: JsonObject, path = ''): PatchOperation[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return keys.flatMap((key): PatchOperation[] => {
    const here = `${path}/${pointerStep(key)}`
    const [old, now] = [memberOf(before, key), memberOf(after, key)]
    if (now === undefined) return [{ op: 'remove', path: here }]
    if (old === undefined) return [{ op: 'add', path: here, value: now }]
    if (isJsonObject(old) && isJsonObject(now)) return patchBetween(old, now, here)
    return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ op: 'replace', path: here, value: now }]
  })
}

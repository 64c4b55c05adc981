import { z } from 'zod'
import { chosenBy } from '../config/choose-projects.ts'
import { mayStopDeliveries } from '../gateway/deliveries.ts'
import { findKnown } from '../history/find-identities.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readNotesBetween } from '../history/sql/notes.ts'
import {
  type Identity,
  isFollowedBy,
  type Referrer,
  type ReportedChange,
  readChangesOf,
  readReferrersOf,
  readVersionsOf,
  readViolationsOf,
  type VersionSpan,
  type ViolationSpan,
} from '../history/sql/resource-life.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import { changeTypes, type FieldChange } from '../model/change.ts'
import { isJsonObject, type Json } from '../model/json.ts'
import { isNoteOf, type Note } from '../model/note.ts'
import { schemas } from '../model/report.ts'
import type { Kind, ProjectRef } from '../model/resource.ts'
import { listOf } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import { neutralise } from '../model/text/neutralise.ts'
import type { ViolationState } from '../model/violation.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans, limited } from '../report/answer.ts'
import { describeEnding } from '../report/describe-ending.ts'
import { describeNotes, notesNamed, timesOf } from '../report/describe-notes.ts'
import { type Block, type Inline, type Item, list, section, text } from '../report/document/blocks.ts'
import { isShellSafe } from '../report/text/commands.ts'
import { shorten, shortenSeals, shortFingerprint } from '../report/text/shorten.ts'
import { showTime } from '../report/text/show-time.ts'
import { selectProjects, statingExtent } from './as-of.ts'
import { compareVersions } from './diff.ts'
import { kindParameter, projectParameter, question, runNamed, runParameter, uidParameter } from './question.ts'
import { unknownResource } from './unknown-resource.ts'

/**
 * How a resource changed in a run. More than the changes of a report: `first_seen` by the first scan of its kind;
 * `restated` when another version was stored without a changed field (the service showed more, secrets were sealed
 * under another key); `pruned` when the version before was pruned: its fields differ from the last one that is left;
 * null when only its violations changed.
 */
const timelineChanges = [...changeTypes, 'first_seen', 'restated', 'pruned'] as const

export type TimelineChange = (typeof timelineChanges)[number] | null

const timelineViolation = z.object({
  fingerprint: z.string(),
  rule: z.string(),
  severity: schemas.severity,
  state: schemas.violation.shape.state,
  resolution: schemas.violation.shape.resolution,
  ended_by: schemas.violation.shape.ended_by,
  path: schemas.pointer,
  message: z.string(),
})

export type TimelineViolation = z.infer<typeof timelineViolation>

const timelineRow = z.object({
  run: schemas.count,
  at: z.string(),
  project: schemas.project,
  kind: schemas.kind,
  uid: schemas.uid,
  name: schemas.name,
  change: z.enum(timelineChanges).nullable().describe('null when only violations changed.'),
  fields: listOf(schemas.fieldChange),
  between: schemas.changeTimes
    .nullable()
    .describe('When it came about; null where only violations changed, and where the change is no longer recorded.'),
  notes: schemas.drift.shape.notes,
  violations: listOf(timelineViolation),
})

export type TimelineRow = z.infer<typeof timelineRow>

export const timelineForm: AnswerForm = {
  name: 'timeline',
  version: 3,
  about: aboutScans,
  row: timelineRow,
  more: {
    notes: listOf(schemas.note).describe('What people did while the resources changed, the latest first.'),
    resources: listOf(
      z.object({
        project: schemas.project,
        kind: schemas.kind,
        uid: schemas.uid,
        name: schemas.name,
        referrers: listOf(
          z.object({
            kind: schemas.kind,
            uid: schemas.uid,
            name: schemas.name,
            from_run: schemas.count,
            from: z.string(),
            to_run: z.int().min(0).nullable(),
            to: z.string().nullable(),
          }),
        ),
      }),
    ),
  },
}

export const timeline = question({
  form: timelineForm,
  parameters: { uid: uidParameter, run: runParameter, project: projectParameter, kind: kindParameter },
  isOfRun: true,
  async read(history, { uid, run: named, project: projects, kind }, { limit }) {
    const run = await runNamed(history, named)
    return { answer: await readTimeline(history, { uid, run, projects, kind, limit }), view: timelineView }
  },
})

export interface TimelineQuery {
  /** A uid, a name, or a beginning of one. */
  readonly uid: string
  readonly run: CommittedRun
  readonly projects: readonly string[]
  readonly kind: Kind | undefined
  readonly limit: number
}

/**
 * The history of all resources with a uid, oldest first: changes field by field, violations that opened and how they
 * ended, and subscriptions that referred to them. The limit leaves out the earliest.
 * @throws AuditError.usage when the history has no such resource, or a name means several
 */
export async function readTimeline(reader: HistoryReader, query: TimelineQuery): Promise<Answer<TimelineRow>> {
  const { run, projects, kind, limit } = query
  const isChosen = chosenBy(projects, kind)
  const identities = await findKnown(reader, query.uid, { run: run.number, isChosen })
  if (identities.length === 0) {
    // When --project matches no project, that is the error to report.
    selectProjects(await readLatestScans(reader, run.number), projects)
    const where = [...projects, ...(kind === undefined ? [] : [kind])]
    throw await unknownResource(reader, query.uid, { run: run.number, where })
  }
  const rows: TimelineRow[] = []
  const refs = new Map<TimelineRow, ProjectRef>()
  const resources: Json[] = []
  for (const identity of identities) {
    const versions = await readVersionsOf(reader, identity, run.number)
    const violations = await readViolationsOf(reader, identity, run.number)
    for (const row of rowsOf(identity, versions, violations, await readChangesOf(reader, identity, run.number))) {
      rows.push(row)
      refs.set(row, identity.project)
    }
    const referrers = await readReferrersOf(reader, identity, run.number)
    resources.push({
      project: identity.project.name,
      kind: identity.kind,
      uid: identity.uid,
      name: versions.at(-1)?.name ?? violations.at(-1)?.name ?? '',
      referrers: mergeSpans(referrers).map((referrer) => ({ kind: 'subscription', ...referrer })),
    })
  }
  const concerned = new Map(identities.map(({ project }) => [project.name, project]))
  const scans: RecordedScan[] = []
  for (const project of concerned.values()) scans.push(...(await readLatestScans(reader, run.number, project)))
  const extent = statingExtent(run, scans)
  const notes = await readNotesOf(reader, rows)
  const named: TimelineRow[] = []
  for (const row of rows) named.push({ ...row, notes: await findNotesOf(reader, row, refs.get(row), notes) })
  const used = notesNamed(named, notes).map((note) => ({ ...note, projects: [...note.projects] }))
  const latest = new Set(limited(named.toSorted(latestFirst), limit).rows)
  const kept = named.filter((row) => latest.has(row))
  const more = { resources, notes: used }
  return { form: timelineForm, ...extent, more, rows: kept, omitted: named.length - kept.length }
}

function latestFirst(a: TimelineRow, b: TimelineRow): number {
  return b.run - a.run
}

/** Notes about the times in which a resource changed. */
async function readNotesOf(reader: HistoryReader, rows: readonly TimelineRow[]): Promise<readonly Note[]> {
  const times = rows.flatMap(({ between }) => (between?.after == null ? [] : [between.after, between.before])).sort()
  const [from, to] = [times.at(0), times.at(-1)]
  return from === undefined || to === undefined ? [] : readNotesBetween(reader, from, to)
}

/** Ids. A note names projects as they were called: by the name that a project had in the run of the change. */
async function findNotesOf(
  reader: HistoryReader,
  { run, project: name, between }: TimelineRow,
  project: ProjectRef | undefined,
  notes: readonly Note[],
): Promise<readonly number[]> {
  if (between === null || !notes.some((note) => isNoteOf({ ...note, projects: [] }, name, between))) return []
  const [scan] = project === undefined ? [] : await readLatestScans(reader, run, project)
  const nameThen = scan?.project.name ?? name
  return notes.filter((note) => isNoteOf(note, nameThen, between)).map(({ id }) => id)
}

interface Moment {
  readonly run: number
  readonly at: string
  readonly change: TimelineChange
  readonly name: string
  readonly fields: readonly FieldChange[]
}

function rowsOf(
  { project, kind, uid }: Identity,
  versions: readonly VersionSpan[],
  spans: readonly ViolationSpan[],
  changes: ReadonlyMap<number, ReportedChange>,
): TimelineRow[] {
  const moments = new Map(momentsOf(kind, versions).map((moment) => [moment.run, moment]))
  // Of what was pruned, the list of changes says more than the versions that are left.
  for (const [run, { isOfPrunedRun, between: _, ...reported }] of changes)
    if (isOfPrunedRun) moments.set(run, { run, ...reported })
  const violations = Map.groupBy(spans.flatMap(turnsOf), ({ run }) => run)
  const runs = [...new Set([...moments.keys(), ...violations.keys()])].sort((a, b) => a - b)
  let { name = '' } = versions[0] ?? spans[0] ?? {}
  return runs.map((run) => {
    const moment = moments.get(run)
    name = moment?.name ?? name
    const turns = violations.get(run) ?? []
    return {
      run,
      at: moment?.at ?? turns[0]?.at ?? '',
      project: project.name,
      kind,
      uid,
      name,
      change: moment?.change ?? null,
      fields: moment?.fields ?? [],
      between: moment === undefined ? null : (changes.get(run)?.between ?? null),
      notes: [],
      violations: turns.map(({ violation }) => violation),
    }
  })
}

/** The beginnings of versions, and the ends of those that no other one follows. */
function momentsOf(kind: Kind, versions: readonly VersionSpan[]): Moment[] {
  return versions.flatMap((version, at) => {
    const { name, toRun, to } = version
    const [before, next] = [versions[at - 1], versions[at + 1]]
    const begun = beginningOf(kind, version, before)
    const isOver = toRun !== null && (next === undefined || !isFollowedBy(version, next))
    return isOver ? [begun, { run: toRun, at: to ?? '', name, change: 'removed', fields: [] }] : [begun]
  })
}

function beginningOf(kind: Kind, version: VersionSpan, before: VersionSpan | undefined): Moment {
  const { fromRun: run, from: at, name, isAdded, isContinued } = version
  const fields =
    before !== undefined && isFollowedBy(before, version) ? compareVersions(kind, before, version).asSeen : []
  const change = (): TimelineChange => {
    if (before?.toRun === run) return fields.length === 0 ? 'restated' : 'modified'
    if (isContinued) return 'pruned'
    return isAdded || before !== undefined ? 'added' : 'first_seen'
  }
  return { run, at, name, change: change(), fields }
}

/** The state that begins with a span of a violation, and how it ended where no other span follows. */
function turnsOf(
  span: ViolationSpan,
): { readonly run: number; readonly at: string; readonly violation: TimelineViolation }[] {
  const { fingerprint, rule, severity, path, message, state, isContinued, goesOn, fromRun, from, toRun, to } = span
  const as = (state: ViolationState): TimelineViolation => ({
    fingerprint,
    rule,
    severity,
    state,
    resolution: state === 'resolved' ? span.resolution : null,
    ended_by: state === 'resolved' ? span.ended_by : null,
    path,
    message,
  })
  const now = state !== 'open' ? state : isContinued ? 'continuing' : 'opened'
  const begun = { run: fromRun, at: from, violation: as(now) }
  return toRun === null || goesOn ? [begun] : [begun, { run: toRun, at: to ?? '', violation: as('resolved') }]
}

interface Reference {
  readonly uid: string
  readonly name: string
  readonly from_run: number
  readonly from: string
  /** null for a current reference. */
  readonly to_run: number | null
  readonly to: string | null
}

/** Versions of one subscription that follow each other are one reference. */
function mergeSpans(referrers: readonly Referrer[]): Reference[] {
  const merged: Reference[] = []
  for (const { uid, name, fromRun, from, toRun, to } of referrers) {
    const last = merged.at(-1)
    if (last?.uid === uid && last.to_run === fromRun) merged[merged.length - 1] = { ...last, name, to_run: toRun, to }
    else merged.push({ uid, name, from_run: fromRun, from, to_run: toRun, to })
  }
  return merged
}

export const timelineView: AnswerView<TimelineRow> = {
  columns: [
    'run',
    'at',
    'project',
    'kind',
    'uid',
    'name',
    'change',
    { name: 'notes', value: ({ notes }) => notes.join(' ') },
    'fields',
    {
      name: 'violations',
      value: ({ violations }) =>
        violations.map(({ ended_by: by, ...violation }) => ({
          ...violation,
          ended_by: by && describeEnding({ ...violation, ended_by: by }),
        })),
    },
  ],
  blocks: timelineBlocks,
  omits: 'earlier',
  nothing: 'The history knows nothing about it.',
}

const words = {
  added: 'added',
  removed: 'removed',
  modified: 'modified',
  first_seen: 'present at the first scan of its kind',
  restated: 'restated: stored again without a changed field',
  pruned: 'another state: the one before it was pruned',
} as const satisfies Record<Exclude<TimelineChange, null>, string>

const mostReferrers = 20

/** Each resource of the uid with its changes, then the subscriptions that referred to it. */
function timelineBlocks({ rows, more }: Answer<TimelineRow>): readonly Block[] {
  const notes = readNotes(more?.notes)
  const resources = Array.isArray(more?.resources) ? more.resources.filter(isJsonObject) : []
  return resources.flatMap((resource) => {
    const moments = rows.filter(({ project, kind }) => project === resource.project && kind === resource.kind)
    const [last] = moments.slice(-1)
    if (last === undefined) return []
    const items = moments.map((row) => momentItem(row, notes))
    return section(2, [{ resource: last }], [...list('moment', items), ...referrerBlocks(resource.referrers ?? null)])
  })
}

/** The notes that an answer has besides its rows. */
export function readNotes(given: Json | undefined): readonly Note[] {
  return schemas.note.array().safeParse(given).data ?? []
}

function momentItem(row: TimelineRow, notes: readonly Note[]): Item {
  const { run, at, change, fields, between, violations } = row
  const meanwhile = between === null ? '' : describeNotes(notesNamed([row], notes), timesOf([{ between }]))
  return {
    text: `Run ${run}, ${at === '' ? 'its time was pruned' : showTime(at)}${change === null ? '' : `: ${words[change]}`}`,
    fields,
    below: [...(meanwhile === '' ? [] : [meanwhile]), ...violations.map(sayTurn), ...sayImpact(row)],
  }
}

/** What counts the deliveries that a change stopped. */
function sayImpact({ kind, uid, change, fields, between, violations }: TimelineRow): readonly Inline[] {
  const isActive = ({ path, after }: FieldChange) => path === '/status' && after === 'active'
  const stops = fields.some((field) => !isActive(field) && mayStopDeliveries(kind, field.path))
  if (change !== 'removed' && !stops) return []
  if (!mayStopDeliveries(kind, '') || !isShellSafe(uid)) return []
  const opened = violations.find(({ state, path }) => state === 'opened' && mayStopDeliveries(kind, path))
  const from = between?.after_run ?? undefined
  const target = opened === undefined ? uid : shortFingerprint(opened.fingerprint)
  const since = opened !== undefined || from === undefined ? '' : ` --from ${from}`
  return [`What it cost: \`hookdrift impact ${target}${since}\``]
}

function sayTurn(violation: TimelineViolation): Inline {
  const { severity, rule, message } = violation
  const [shortened] = shortenSeals(message)
  return [`${turnOf(violation)}: ${severity} `, { code: rule }, `: ${shorten(shortened, 300)}`]
}

/** What became of it: its state, or how it ended. */
function turnOf(violation: TimelineViolation): string {
  const { state, ended_by: by } = violation
  if (state !== 'resolved') return state
  const how = neutralise(describeEnding(violation))
  return by === null ? how : `ended (${how})`
}

function referrerBlocks(referrers: Json): readonly Block[] {
  const all = Array.isArray(referrers) ? referrers.filter(isJsonObject) : []
  const items = all.map(({ uid, name, from_run, to_run }): Item => {
    const until = to_run === null ? '' : `, until run ${to_run}`
    const resource = { project: '', kind: 'subscription', uid: String(uid), name: String(name) } as const
    return { text: [{ resource }, ` from run ${from_run}${until}`] }
  })
  const are = all.filter(({ to_run }) => to_run === null).length
  const past = are < all.length ? `, ${all.length - are} in the past` : ''
  const omitted = all.length - mostReferrers
  return section(3, `Referred to by ${count(are, 'subscription')}${past}:`, [
    ...list('subscription', items.slice(0, mostReferrers)),
    ...(omitted > 0 ? [text(`… and ${omitted} more; --format json shows all`, 'aside')] : []),
  ])
}

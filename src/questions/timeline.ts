import { z } from 'zod'
import { chosenBy } from '../config/choose-projects.ts'
import { findIdentities, unknownResource } from '../history/find-identities.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readNotesBetween } from '../history/sql/notes.ts'
import {
  type Identity,
  type Referrer,
  readReferrersOf,
  readTimesOf,
  readVersionsOf,
  readViolationsOf,
  type VersionSpan,
  type ViolationSpan,
} from '../history/sql/resource-life.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import type { ChangeTimes, FieldChange } from '../model/change.ts'
import type { Json } from '../model/json.ts'
import { isNoteOf, type Note } from '../model/note.ts'
import type { Kind } from '../model/resource.ts'
import type { ViolationState } from '../model/violation.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerForm, aboutScans } from '../report/answer-form.ts'
import { describeEnding } from '../report/describe-ending.ts'
import { notesNamed } from '../report/describe-notes.ts'
import { listOf, schemas } from '../report/report-schema.ts'
import { type AnswerView, limited } from '../report/show-answer.ts'
import { selectProjects, statingExtent } from './as-of.ts'
import { fieldsBetween } from './diff.ts'
import { kindParameter, projectParameter, question, runNamed, runParameter, uidParameter } from './question.ts'
import { showTimeline } from './show-timeline.ts'
import { type TimelineChange, type TimelineRow, type TimelineViolation, timelineRow } from './timeline-row.ts'

export const timelineForm: AnswerForm = {
  name: 'timeline',
  version: 2,
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
 * ended, and subscriptions that referred to them.
 * @throws AuditError.usage when the history has no such resource, or a name means several
 */
export async function readTimeline(reader: HistoryReader, query: TimelineQuery): Promise<Answer<TimelineRow>> {
  const { run, projects, kind, limit } = query
  const isChosen = chosenBy(projects, kind)
  const found = await findIdentities(reader, query.uid, { run: run.number, isChosen })
  if (found.length === 0) {
    // When --project matches no project, that is the error to report.
    selectProjects(await readLatestScans(reader, run.number), projects)
    throw unknownResource(query.uid, run.number, [...projects, ...(kind === undefined ? [] : [kind])])
  }
  const rows: TimelineRow[] = []
  const resources: Json[] = []
  for (const identity of found) {
    const versions = await readVersionsOf(reader, identity, run.number)
    const violations = await readViolationsOf(reader, identity, run.number)
    rows.push(...rowsOf(identity, versions, violations, await readTimesOf(reader, identity, run.number)))
    const referrers = await readReferrersOf(reader, identity, run.number)
    resources.push({
      project: identity.project.name,
      kind: identity.kind,
      uid: identity.uid,
      name: versions.at(-1)?.name ?? '',
      referrers: mergeSpans(referrers).map((referrer) => ({ kind: 'subscription', ...referrer })),
    })
  }
  const concerned = new Map(found.map(({ project }) => [project.name, project]))
  const scans: RecordedScan[] = []
  for (const project of concerned.values()) scans.push(...(await readLatestScans(reader, run.number, project)))
  const extent = statingExtent(run, scans)
  const notes = await readNotesOf(reader, rows)
  const named = rows.map((row) => ({ ...row, notes: notes.filter(isNoteOfRow(row)).map(({ id }) => id) }))
  const used = notesNamed(named, notes).map((note) => ({ ...note, projects: [...note.projects] }))
  return { form: timelineForm, ...extent, more: { resources, notes: used }, ...limited(named, limit) }
}

/** Notes about the times in which a resource changed. */
async function readNotesOf(reader: HistoryReader, rows: readonly TimelineRow[]): Promise<readonly Note[]> {
  const times = rows.flatMap(({ between }) => (between?.after == null ? [] : [between.after, between.before])).sort()
  const [from, to] = [times.at(0), times.at(-1)]
  return from === undefined || to === undefined ? [] : readNotesBetween(reader, from, to)
}

function isNoteOfRow({ project, between }: TimelineRow): (note: Note) => boolean {
  return (note) => between !== null && isNoteOf(note, project, between)
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
  times: ReadonlyMap<number, ChangeTimes>,
): TimelineRow[] {
  const moments = new Map(momentsOf(kind, versions).map((moment) => [moment.run, moment]))
  const violations = Map.groupBy(spans.flatMap(turnsOf), ({ run }) => run)
  const runs = [...new Set([...moments.keys(), ...violations.keys()])].sort((a, b) => a - b)
  let { name = '' } = versions[0] ?? {}
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
      between: moment === undefined ? null : (times.get(run) ?? null),
      notes: [],
      violations: turns.map(({ violation }) => violation),
    }
  })
}

/** The beginnings and ends of versions. A version that starts where another ends replaces it. */
function momentsOf(kind: Kind, versions: readonly VersionSpan[]): Moment[] {
  return versions.flatMap((version, at) => {
    const { name, toRun, to } = version
    const before = versions[at - 1]
    const begun: Moment =
      before?.toRun === version.fromRun
        ? succession(kind, before, version)
        : { ...startOf(version), change: version.isAdded || before !== undefined ? 'added' : 'first_seen', fields: [] }
    const isOver = toRun !== null && versions[at + 1]?.fromRun !== toRun
    return isOver ? [begun, { run: toRun, at: to ?? '', name, change: 'removed', fields: [] }] : [begun]
  })
}

function succession(kind: Kind, before: VersionSpan, after: VersionSpan): Moment {
  const fields = fieldsBetween(kind, before, after)
  return { ...startOf(after), change: fields.length === 0 ? 'restated' : 'modified', fields }
}

function startOf({ fromRun, from, name }: VersionSpan) {
  return { run: fromRun, at: from, name }
}

interface Turn {
  readonly run: number
  readonly at: string
  readonly violation: TimelineViolation
}

/** The state that begins with a span of a violation, and how it ended where no other span follows. */
function turnsOf(span: ViolationSpan): Turn[] {
  const { fingerprint, rule, severity, path, message, state, isContinued, goesOn, fromRun, from, toRun, to } = span
  const as = (state: ViolationState): TimelineViolation => ({
    fingerprint,
    rule,
    severity,
    state,
    resolution: state === 'resolved' ? span.resolution : null,
    ended_by: state === 'resolved' ? span.endedBy : null,
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
    ...(['run', 'at', 'project', 'kind', 'uid', 'name', 'change'] as const).map((name) => ({
      name,
      value: (row: TimelineRow) => row[name],
    })),
    { name: 'notes', value: ({ notes }) => notes.join(' ') },
    { name: 'fields', value: ({ fields }) => fields.map((field) => ({ ...field })) },
    {
      name: 'violations',
      value: ({ violations }) =>
        violations.map(({ ended_by: by, ...violation }) => ({
          ...violation,
          ended_by: by && describeEnding({ ...violation, ended_by: by }),
        })),
    },
  ],
  lines: showTimeline,
  nothing: 'The history knows nothing about it.',
}

import { z } from 'zod'
import type { HistoryReader } from '../history/reader.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import { type ResourceAtRun, readStateAt } from '../history/sql/state-at.ts'
import { parseStored } from '../history/stored-body.ts'
import type { JsonObject } from '../model/json.ts'
import { schemas } from '../model/report.ts'
import { isProjectList, type Kind } from '../model/resource.ts'
import { anyObject } from '../model/schema.ts'
import { walksFor } from '../model/walks-for.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans, limited } from '../report/answer.ts'
import { shorten } from '../report/text/shorten.ts'
import { listed } from '../rules/shared/listed.ts'
import { presentScans, selectProjects, statingExtent } from './as-of.ts'
import { kindParameter, parameter, projectParameter, question, runNamed, runOrTime } from './question.ts'

const stateRow = z.object({
  project: schemas.project,
  kind: schemas.kind,
  uid: schemas.uid,
  name: schemas.name,
  since: schemas.time.describe('Start of the run that first saw it so.'),
  unreferenced: z.literal(true).describe('No subscription refers to it, and its kind is not listed.').exactOptional(),
  attributes: anyObject,
})
export type StateRow = z.infer<typeof stateRow>

export const stateForm: AnswerForm = {
  name: 'state',
  version: 3,
  about: aboutScans,
  row: stateRow,
}

export const state = question({
  form: stateForm,
  parameters: {
    at: parameter('--run, --at <run|time>', `as of ${runOrTime}`, z.string().default('latest')),
    project: projectParameter,
    kind: kindParameter,
  },
  isOfRun: true,
  async read(history, { at, project: projects, kind }, { limit }) {
    const run = await runNamed(history, at)
    return { answer: await readState(history, { run, projects, kind, limit }), view: stateView }
  },
})

export interface StateQuery {
  readonly run: CommittedRun
  readonly projects: readonly string[]
  readonly kind: Kind | undefined
  readonly limit: number
}

/**
 * The resources as of a run, by project, kind and uid. What a walk did not reach is in its last known state. Those of a
 * project that left the fleet are listed where it is asked for.
 */
export async function readState(
  reader: HistoryReader,
  { run, projects, kind, limit }: StateQuery,
): Promise<Answer<StateRow>> {
  const scans = presentScans(selectProjects(await readLatestScans(reader, run.number), projects))
  const resources: { readonly project: string; readonly row: ResourceAtRun }[] = []
  for (const { project } of scans) {
    for (const row of await readStateAt(reader, project, run.number, kind))
      resources.push({ project: project.name, row })
  }
  const { rows, omitted } = limited(resources, limit)
  const unknown = describeUnlisted(scans, kind)
  return {
    form: stateForm,
    ...statingExtent(run, scans),
    ...(unknown.length === 0 ? {} : { remarks: unknown, unknown }),
    rows: rows.map(({ project, row }) => (row.isUnreferenced ? toUnreferencedRow(project, row) : toRow(project, row))),
    omitted,
  }
}

/** That no walk lists what is asked for: there, none is known, which is not that there is none. Empty where one does. */
export function describeUnlisted(
  scans: readonly Pick<RecordedScan, 'project' | 'coverage'>[],
  kind: Kind | undefined,
): readonly string[] {
  // No walk lists these.
  if (kind === undefined || kind === 'probe' || kind === 'policy') return []
  const unlisted = scans.filter(
    ({ project, coverage }) =>
      !isProjectList(project) && walksFor([kind], coverage).every(({ status }) => status === 'skipped'),
  )
  if (unlisted.length === 0) return []
  const names = listed(unlisted.map(({ project }) => project.name))
  return [
    `Not listed: every ${kind} of ${names}. The configuration does not request it, or the service does not offer it.`,
  ]
}

type ResourceRow = Omit<ResourceAtRun, 'isUnreferenced'>

// Attributes are parsed on access, because most rows are printed without them. Two literals, because a spread costs as
// much as reading the row.

function toRow(project: string, { kind, uid, name, since, body }: ResourceRow): StateRow {
  return {
    project,
    kind,
    uid,
    name,
    since,
    get attributes(): JsonObject {
      return parseStored(body)
    },
  }
}

function toUnreferencedRow(project: string, { kind, uid, name, since, body }: ResourceRow): StateRow {
  return {
    project,
    kind,
    uid,
    name,
    since,
    unreferenced: true,
    get attributes(): JsonObject {
      return parseStored(body)
    },
  }
}

export const stateView: AnswerView<StateRow> = {
  columns: [
    { name: 'project', breaks: true },
    'kind',
    { name: 'uid', show: ({ uid }) => shorten(uid, 64) },
    { name: 'name', show: ({ name }) => shorten(name, 60), breaks: true },
    { name: 'since', show: ({ since }) => since.slice(0, 10) },
    { name: 'unreferenced', value: ({ unreferenced }) => unreferenced ?? false, only: 'csv' },
    { name: 'attributes', only: 'csv' },
  ],
  nothing: 'No such resource.',
}

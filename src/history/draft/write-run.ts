import { hash } from 'node:crypto'
import { canonicalJson } from '../../model/canonical-json.ts'
import type { Ending } from '../../model/ending.ts'
import type { ProjectEvaluation } from '../../model/evaluation.ts'
import type { Json } from '../../model/json.ts'
import type { RunContext } from '../records.ts'
import type { Session, Transaction } from '../sql/session.ts'
import type { ReadingName } from '../staged.ts'
import { type NumberedNotice, replacedBy } from './drafted-project.ts'
import type { RunRows, WrittenProject } from './run-rows.ts'

/** All that a run writes. */
export interface DraftedRun {
  readonly run: number
  readonly rows: RunRows
  /** Notices about the run as a whole. */
  readonly notices: readonly NumberedNotice[]
  readonly context: RunContext | undefined
}

/** Writes a run, within the transaction of its commit. */
export async function writeRun(transaction: Transaction, { run, rows, notices, context }: DraftedRun): Promise<void> {
  const { projects } = rows
  await rows.insert(transaction)
  await endVersions(transaction, run, projects)
  await finishUnreferenced(transaction, run, projects)
  await endViolations(transaction, run, projects)
  await endAcceptances(transaction, run, projects)
  await insertScans(transaction, run, projects, await writeEvaluations(transaction, projects, context?.projects ?? []))
  await writeReadings(transaction, projects, 'filters')
  await insertWithheld(transaction, run, projects)
  await insertNotices(transaction, run, [
    ...notices.map((notice) => ({ ...notice, project: null })),
    ...projects.flatMap(({ id, state }) => state.notices.map((notice) => ({ ...notice, project: id }))),
  ])
  if (context !== undefined) await writeContext(transaction, run, context)
}

async function endVersions(session: Session, run: number, projects: readonly WrittenProject[]): Promise<void> {
  const ended = projects.flatMap(({ state }) => [...state.endedVersions, ...state.versions.replaced])
  if (ended.length === 0) return
  await session.run('UPDATE hookdrift.version SET to_run = $1 WHERE id = ANY($2)', [run, ended])
}

/** Most of them end for few reasons: those of one person, one policy or one approval together. */
async function endViolations(session: Session, run: number, projects: readonly WrittenProject[]): Promise<void> {
  const endings = projects.flatMap(({ state }) => Object.entries(state.endedViolations))
  const ended = new Set(endings.map(([id]) => Number(id)))
  const replaced = projects.flatMap(({ state }) => replacedBy(state.violations)).filter((id) => !ended.has(id))
  if (replaced.length > 0) {
    await session.run('UPDATE hookdrift.violation SET to_run = $1 WHERE id = ANY($2)', [run, replaced])
  }
  const textOf = ({ resolution, ended_by }: Ending) => JSON.stringify([resolution, ended_by])
  for (const alike of Map.groupBy(endings, ([, ending]) => textOf(ending)).values()) {
    const [, { resolution, ended_by }] = alike[0] as (typeof alike)[number] // Map.groupBy makes no empty group.
    await session.run('UPDATE hookdrift.violation SET to_run = $1, resolution = $2, ended_by = $3 WHERE id = ANY($4)', [
      run,
      resolution,
      ended_by === null ? null : JSON.stringify(ended_by),
      alike.map(([id]) => Number(id)),
    ])
  }
}

async function endAcceptances(session: Session, run: number, projects: readonly WrittenProject[]): Promise<void> {
  const endings = projects.flatMap(({ state }) => Object.entries(state.endedAcceptances))
  for (const [ending, alike] of Map.groupBy(endings, ([, ending]) => ending)) {
    await session.run(
      `UPDATE hookdrift.acceptance SET ended_in = $1, ended_by = $2,
         ended_at = (SELECT started_at FROM hookdrift.run WHERE number = $1) WHERE id = ANY($3)`,
      [run, ending, alike.map(([id]) => Number(id))],
    )
  }
}

async function finishUnreferenced(
  transaction: Transaction,
  run: number,
  projects: readonly WrittenProject[],
): Promise<void> {
  const added: [project: number, kind: string, uid: string, run: number][] = []
  for (const { id, state } of projects) {
    for (const [kind, changes] of Object.entries(state.unreferenced)) {
      for (const uid of changes.added) added.push([id, kind, uid, run])
      if (changes.removed.length === 0) continue
      await transaction.run(
        `UPDATE hookdrift.unreferenced SET to_run = $1
         WHERE project_id = $2 AND kind = $3 AND uid = ANY($4) AND to_run IS NULL`,
        [run, id, kind, changes.removed],
      )
    }
  }
  await transaction.insert('unreferenced', ['project_id', 'kind', 'uid', 'from_run'], added)
}

/** The walk of the same listing in the last scan of the project: what was not complete then is so since then, or longer. */
const walkBeforeSql = `FROM hookdrift.walk p WHERE p.project_id = w.project_id AND p.listing = w.listing AND p.run =
  (SELECT max(s.run) FROM hookdrift.scan s WHERE s.project_id = w.project_id AND s.run < $1)`

const walkColumns = [
  ...['run', 'project_id', 'listing', 'status', 'cause', 'reason', 'filter', 'shape', 'pages', 'items', 'requests'],
  ...['retries', 'duration_ms', 'total', 'oldest_at'],
]

/** Equal evaluations of a project are stored once for all of its scans. Returns their ids by those of projects. */
async function writeEvaluations(
  transaction: Transaction,
  projects: readonly WrittenProject[],
  evaluations: readonly ProjectEvaluation[],
): Promise<ReadonlyMap<number, number>> {
  const ids = new Map(projects.map(({ id, state }) => [state.scan, id]))
  const written = evaluations.flatMap((evaluation): [number, string, string][] => {
    const id = ids.get(evaluation.project)
    const body = canonicalJson(evaluation as unknown as Json) // Is JSON by its type; see `writeContext`.
    return id === undefined ? [] : [[id, hash('sha256', body), body]]
  })
  const known = await transaction.all<{ id: number; project: number; sha256: string }>(
    'SELECT id, project_id AS project, sha256 FROM hookdrift.evaluation WHERE project_id = ANY($1) AND sha256 = ANY($2)',
    [written.map(([id]) => id), written.map(([, sha256]) => sha256)],
  )
  const stored = new Map(known.map(({ id, project, sha256 }) => [`${project} ${sha256}`, id]))
  let last = (await transaction.value<number>('SELECT coalesce(max(id), 0) FROM hookdrift.evaluation')) ?? 0
  const rows = written.flatMap(([project, sha256, body]) => {
    if (stored.has(`${project} ${sha256}`)) return []
    last += 1
    stored.set(`${project} ${sha256}`, last)
    return [[last, project, sha256, body]]
  })
  await transaction.insert('evaluation', ['id', 'project_id', 'sha256', 'body'], rows)
  return new Map(written.map(([project, sha256]) => [project, stored.get(`${project} ${sha256}`) ?? last]))
}

async function insertScans(
  transaction: Transaction,
  run: number,
  projects: readonly WrittenProject[],
  evaluations: ReadonlyMap<number, number>,
): Promise<void> {
  const scans = projects.flatMap(({ id, state }) => (state.scan === null ? [] : [{ id, name: state.scan, state }]))
  await transaction.insert(
    'scan',
    ['run', 'project_id', 'name', 'evaluation'],
    scans.map(({ id, name }) => [run, id, name, evaluations.get(id) ?? null]),
  )
  const walks = scans.flatMap(({ id, state }) =>
    Object.values(state.walks).map(({ of: total = null, oldest_at = null, ...walk }) => [
      ...[run, id, walk.listing, walk.status, walk.cause, walk.reason, walk.filter, walk.shape],
      ...[walk.pages, walk.items, walk.requests, walk.retries, walk.duration_ms, total, oldest_at],
    ]),
  )
  if (walks.length === 0) return
  await transaction.insert('walk', walkColumns, walks)
  await transaction.run(
    `UPDATE hookdrift.walk AS w SET
       since_run = coalesce((SELECT p.since_run ${walkBeforeSql}), $1),
       since_at = coalesce((SELECT p.since_at ${walkBeforeSql}), (SELECT started_at FROM hookdrift.run WHERE number = $1))
     WHERE w.run = $1 AND w.status NOT IN ('complete', 'skipped')`,
    [run],
  )
  await transaction.run(
    `INSERT INTO hookdrift.first_complete_walk (project_id, listing, run)
     SELECT w.project_id, w.listing, w.run FROM hookdrift.walk w WHERE w.run = $1 AND w.status = 'complete'
     ON CONFLICT (project_id, listing) DO NOTHING`,
    [run],
  )
}

async function insertWithheld(
  transaction: Transaction,
  run: number,
  projects: readonly WrittenProject[],
): Promise<void> {
  await transaction.insert(
    'withheld_removal',
    ['run', 'project_id', 'listing', 'uids'],
    projects.flatMap(({ id, state }) =>
      Object.entries(state.withheld).map(([listing, uids]) => [run, id, listing, uids]),
    ),
  )
}

async function insertNotices(
  transaction: Transaction,
  run: number,
  notices: readonly (NumberedNotice & { readonly project: number | null })[],
): Promise<void> {
  const inOrder = notices.toSorted((a, b) => a.at - b.at)
  await transaction.insert(
    'notice',
    ['run', 'number', 'code', 'project_id', 'listing', 'text'],
    inOrder.map(({ code, project, listing, text }, at) => [run, at + 1, code, project, listing, text]),
  )
}

/** Equal documents are stored once for all runs. */
async function writeContext(session: Session, run: number, { projects: _, ...stable }: RunContext): Promise<void> {
  // It is JSON by its type, but the compiler cannot derive that from interfaces.
  const body = canonicalJson(stable as unknown as Json)
  const sha256 = hash('sha256', body)
  await session.run(
    `INSERT INTO hookdrift.document (id, sha256, body)
     SELECT coalesce(max(id), 0) + 1, $1, $2 FROM hookdrift.document WHERE true ON CONFLICT (sha256) DO NOTHING`,
    [sha256, body],
  )
  await session.run('UPDATE hookdrift.run SET rules_document = $2 WHERE number = $1', [run, sha256])
}

/** What the scans of some projects leave for the next ones, in place of what earlier ones left. */
export async function writeReadings(
  transaction: Transaction,
  projects: readonly WrittenProject[],
  name: ReadingName,
): Promise<void> {
  const readings = projects.flatMap(({ id, state: { readings } }): [number, string, string][] => {
    const body = readings[name]
    return body === undefined ? [] : [[id, name, body]]
  })
  if (readings.length === 0) return
  await transaction.run('DELETE FROM hookdrift.reading WHERE project_id = ANY($1) AND name = $2', [
    readings.map(([id]) => id),
    name,
  ])
  await transaction.insert('reading', ['project_id', 'name', 'body'], readings)
}

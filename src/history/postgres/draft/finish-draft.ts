import { hash } from 'node:crypto'
import { canonicalJson } from '../../../model/canonical-json.ts'
import type { Ending } from '../../../model/ending.ts'
import type { Json } from '../../../model/json.ts'
import type { ReadingName } from '../../history.ts'
import type { RunContext } from '../../records.ts'
import type { SqlValue } from '../../sql/session.ts'
import type { Session } from '../connect.ts'
import { idsIn } from './id-bits.ts'
import type { OpenProject } from './open-projects.ts'
import type { NumberedNotice } from './uncommitted-project.ts'

/** What a draft remembered until the commit. */
export interface Remembered {
  readonly run: number
  readonly projects: readonly OpenProject[]
  /** Notices about the run as a whole. */
  readonly notices: readonly NumberedNotice[]
  readonly context: RunContext | undefined
}

/** Within the transaction of the commit: writes what the draft only remembered until then. */
export async function finishDraft(session: Session, { run, projects, notices, context }: Remembered): Promise<void> {
  await endVersions(session, run, projects)
  await finishUnreferenced(session, run, projects)
  await endViolations(session, run, projects)
  await endAcceptances(session, run, projects)
  await insertScans(session, run, projects)
  await insertNotices(session, run, [
    ...notices.map((notice) => ({ ...notice, project: null })),
    ...projects.flatMap(({ id, state }) => state.notices.map((notice) => ({ ...notice, project: id }))),
  ])
  if (context !== undefined) await writeContext(session, run, context)
}

async function endVersions(session: Session, run: number, projects: readonly OpenProject[]): Promise<void> {
  const ended = projects.flatMap(({ state }) => [...idsIn(state.endedVersions)])
  if (ended.length === 0) return
  await session.run(
    'UPDATE hookdrift.version v SET to_run = $1 FROM unnest($2::bigint[]) AS e (id) WHERE v.id = e.id',
    [run, ended],
  )
}

async function endViolations(session: Session, run: number, projects: readonly OpenProject[]): Promise<void> {
  const ended = new Map<number, Ending | null>()
  for (const { state } of projects) {
    for (const id of idsIn(state.replaced)) ended.set(id, null)
    for (const [id, ending] of Object.entries(state.endedViolations)) ended.set(Number(id), ending)
  }
  if (ended.size === 0) return
  await session.run(
    `UPDATE hookdrift.violation x SET to_run = $1, resolution = coalesce(e.resolution, x.resolution),
       ended_by = coalesce(e.ended_by, x.ended_by)
     FROM unnest($2::bigint[], $3::text[], $4::text[]) AS e (id, resolution, ended_by) WHERE x.id = e.id`,
    [
      ...[run, [...ended.keys()], [...ended.values()].map((ending) => ending?.resolution ?? null)],
      [...ended.values()].map((ending) => (ending?.endedBy ? JSON.stringify(ending.endedBy) : null)),
    ],
  )
}

async function endAcceptances(session: Session, run: number, projects: readonly OpenProject[]): Promise<void> {
  const ended = projects.flatMap(({ state }) => Object.entries(state.endedAcceptances))
  if (ended.length === 0) return
  await session.run(
    `UPDATE hookdrift.acceptance a SET ended_in = $1, ended_by = e.ending,
       ended_at = (SELECT started_at FROM hookdrift.run WHERE number = $1)
     FROM unnest($2::bigint[], $3::text[]) AS e (id, ending) WHERE a.id = e.id`,
    [run, ended.map(([id]) => Number(id)), ended.map(([, ending]) => ending)],
  )
}

async function finishUnreferenced(session: Session, run: number, projects: readonly OpenProject[]): Promise<void> {
  const marks = (which: 'added' | 'removed'): [number[], string[], string[]] => {
    const rows = projects.flatMap(({ id, state }) =>
      Object.entries(state.unreferenced).flatMap(([kind, changes]) => changes[which].map((uid) => ({ id, kind, uid }))),
    )
    return [rows.map(({ id }) => id), rows.map(({ kind }) => kind), rows.map(({ uid }) => uid)]
  }
  const [removed, added] = [marks('removed'), marks('added')]
  const rows = 'unnest($2::bigint[], $3::text[], $4::text[]) AS m (project_id, kind, uid)'
  if (removed[0].length > 0) {
    await session.run(
      `UPDATE hookdrift.unreferenced u SET to_run = $1 FROM ${rows}
       WHERE u.project_id = m.project_id AND u.kind = m.kind AND u.uid = m.uid
         AND u.to_run IS NULL`,
      [run, ...removed],
    )
  }
  if (added[0].length > 0) {
    const sql = `INSERT INTO hookdrift.unreferenced (project_id, kind, uid, from_run) SELECT m.*, $1 FROM ${rows}`
    await session.run(sql, [run, ...added])
  }
}

async function insertScans(session: Session, run: number, projects: readonly OpenProject[]): Promise<void> {
  const scans = projects.filter(({ state }) => state.scan !== null)
  if (scans.length > 0) {
    await session.run(
      `INSERT INTO hookdrift.scan (run, project_id, name) SELECT $1, s.* FROM unnest($2::bigint[], $3::text[]) AS s`,
      [run, scans.map(({ id }) => id), scans.map(({ state }) => state.scan)],
    )
  }
  const walks = scans.flatMap(({ id, state }) => Object.values(state.walks).map((walk) => ({ id, ...walk })))
  if (walks.length > 0) {
    const column = (value: (walk: (typeof walks)[number]) => string | number | null) => walks.map(value)
    await session.run(
      `INSERT INTO hookdrift.walk (run, project_id, listing, status, cause, reason, filter, shape, pages, items, requests,
         retries, duration_ms, total, oldest_at)
       SELECT $1, w.* FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
         $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::text[]) AS w`,
      [
        ...[run, column(({ id }) => id), column(({ listing }) => listing), column(({ status }) => status)],
        ...[column(({ cause }) => cause), column(({ reason }) => reason), column(({ filter }) => filter)],
        ...[column(({ shape }) => shape), column(({ pages }) => pages), column(({ items }) => items)],
        ...[column(({ requests }) => requests), column(({ retries }) => retries)],
        ...[column(({ durationMs }) => durationMs), column(({ of = null }) => of)],
        column(({ oldestAt = null }) => oldestAt),
      ],
    )
    await session.run(
      `INSERT INTO hookdrift.first_complete_walk (project_id, listing, run)
       SELECT w.project_id, w.listing, w.run FROM hookdrift.walk w WHERE w.run = $1 AND w.status = 'complete'
       ON CONFLICT (project_id, listing) DO NOTHING`,
      [run],
    )
  }
  await writeReadings(session, projects, 'filters')
  const withheld = projects.flatMap(({ id, state }) =>
    Object.entries(state.withheld).map(([listing, uids]) => ({ id, listing, uids })),
  )
  if (withheld.length === 0) return
  await session.run(
    `INSERT INTO hookdrift.withheld_removal (run, project_id, listing, uids)
     SELECT $1, h.* FROM unnest($2::bigint[], $3::text[], $4::text[]) AS h`,
    [run, withheld.map(({ id }) => id), withheld.map(({ listing }) => listing), withheld.map(({ uids }) => uids)],
  )
}

async function insertNotices(
  session: Session,
  run: number,
  notices: readonly (NumberedNotice & { readonly project: number | null })[],
): Promise<void> {
  if (notices.length === 0) return
  const inOrder = notices.toSorted((a, b) => a.at - b.at)
  const values: SqlValue[] = [
    ...[run, inOrder.map((_, at) => at + 1), inOrder.map(({ code }) => code), inOrder.map(({ project }) => project)],
    ...[inOrder.map(({ listing }) => listing), inOrder.map(({ text }) => text)],
  ]
  await session.run(
    `INSERT INTO hookdrift.notice (run, number, code, project_id, listing, text)
     SELECT $1, n.* FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[]) AS n`,
    values,
  )
}

async function writeContext(session: Session, run: number, { projects, ...stable }: RunContext): Promise<void> {
  const digests: string[] = []
  // Both are JSON by their types, but the compiler cannot derive that from interfaces.
  for (const value of [stable, projects] as unknown as Json[]) {
    const body = canonicalJson(value)
    const sha256 = hash('sha256', body)
    await session.run(
      `INSERT INTO hookdrift.document (id, sha256, body)
       SELECT coalesce(max(id), 0) + 1, $1, $2 FROM hookdrift.document ON CONFLICT (sha256) DO NOTHING`,
      [sha256, body],
    )
    digests.push(sha256)
  }
  await session.run('UPDATE hookdrift.run SET rules_document = $2, projects_document = $3 WHERE number = $1', [
    ...[run, ...digests],
  ])
}

/** What the scans of some projects leave for the next ones. */
export async function writeReadings(
  session: Session,
  projects: readonly OpenProject[],
  name: ReadingName,
): Promise<void> {
  const readings = projects.flatMap(({ id, state: { readings } }) => {
    const body = readings[name]
    return body === undefined ? [] : [{ id, body }]
  })
  if (readings.length === 0) return
  await session.run(
    `INSERT INTO hookdrift.reading (project_id, name, body)
     SELECT r.id, $2, r.body FROM unnest($1::bigint[], $3::text[]) AS r (id, body)
     ON CONFLICT (project_id, name) DO UPDATE SET body = excluded.body`,
    [readings.map(({ id }) => id), name, readings.map(({ body }) => body)],
  )
}

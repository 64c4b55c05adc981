import { setImmediate as letOthersRun } from 'node:timers/promises'
import { isProjectList } from '../../model/resource.ts'
import { RunningDigest } from '../chain/digest-rows.ts'
import { changeMembers, type PartDigests, versionMembers, violationMembers } from '../chain/parts.ts'
import type { Session, Transaction } from '../sql/session.ts'
import type { RowCell } from '../table-rows.ts'
import type { OpenProject } from './open-projects.ts'

/** A project of a run, with the id that its row has or gets. */
export interface WrittenProject extends OpenProject {
  readonly id: number
}

/** The rows that a run adds, made before the transaction that writes them, which others wait for. */
export interface RunRows {
  /** By their ids. */
  readonly projects: readonly WrittenProject[]
  readonly digests: PartDigests
  /** The process does other work between batches: nothing that another connection sees is written before the commit. */
  insert(transaction: Transaction): Promise<void>
}

/** Projects get ids in the order of `opened`, other rows in the order of their projects' ids. */
export async function makeRows(session: Session, run: number, opened: readonly OpenProject[]): Promise<RunRows> {
  const last = await readLastIds(session)
  // Of a service of which nothing was found, its list was asked for violations alone.
  const fresh = opened.filter(
    ({ id, project, state }) => id === null && (state.scan !== null || !isProjectList(project)),
  )
  for (const [at, project] of fresh.entries()) project.id = last.project + 1 + at
  const projects = opened.filter(hasId).sort((a, b) => a.id - b.id)
  const tables = {
    version: { columns: versionColumns, rows: () => versionRows(run, projects, last.version + 1) },
    change: { columns: changeColumns, rows: () => changeRows(run, projects, last.change + 1) },
    violation: { columns: violationColumns, rows: () => violationRows(run, projects, last.violation + 1) },
  } as const
  const digests = new Map([
    ['versions', await digestOf(new RunningDigest(versionMembers), tables.version.rows())],
    ['changes', await digestOf(new RunningDigest(changeMembers), tables.change.rows())],
    ['violations', await digestOf(new RunningDigest(violationMembers), tables.violation.rows())],
  ])
  return {
    projects,
    digests,
    async insert(transaction) {
      const newProjects = fresh.map(({ id, project: { service, uid } }) => [id, service, uid])
      if (newProjects.length > 0) await transaction.insert('project', ['id', 'service', 'uid'], newProjects)
      for (const [table, { columns, rows }] of Object.entries(tables)) {
        for (const batch of batches<object>(rows())) {
          // Rows have a member for each column.
          const cells = (batch as Readonly<Record<string, RowCell>>[]).map((row) =>
            columns.map((name) => row[name] ?? null),
          )
          await transaction.insert(table, columns, cells)
          await letOthersRun()
        }
      }
    },
  }
}

/** Rows that are made or inserted at a time. */
const batchSize = 500

function* batches<Row>(rows: Iterable<Row>): Generator<Row[]> {
  let batch: Row[] = []
  for (const row of rows) {
    batch.push(row)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function digestOf<Row>(
  digest: { add(row: Row): void; end(): string | undefined },
  rows: Iterable<Row>,
): Promise<string | undefined> {
  for (const batch of batches(rows)) {
    for (const row of batch) digest.add(row)
    await letOthersRun()
  }
  return digest.end()
}

function hasId(project: OpenProject): project is WrittenProject {
  return project.id !== null
}

const versionColumns = [
  ...['id', 'project_id', 'kind', 'uid', 'from_run', 'replaces', 'normal_form_version', 'name', 'digest', 'body'],
  ...['facts', 'endpoint_uid', 'source_uid', 'device_uid', 'owner_id'],
]

function* versionRows(run: number, projects: readonly WrittenProject[], firstId: number) {
  let id = firstId
  for (const { id: project_id, state } of projects) {
    for (const { normaliser, columns, replaces = null, ...version } of state.versions) {
      yield { ...version, ...columns, id, project_id, from_run: run, replaces, normal_form_version: normaliser }
      id += 1
    }
  }
}

const changeColumns = [
  ...['id', 'run', 'project_id', 'kind', 'uid', 'name', 'change', 'fields', 'referrers', 'after_at', 'before_at'],
]

function* changeRows(run: number, projects: readonly WrittenProject[], firstId: number) {
  let id = firstId
  for (const { id: project_id, state } of projects) {
    for (const { kind, uid, name, change, fields, referrers, between } of state.changes) {
      yield {
        id,
        run,
        project_id,
        kind,
        uid,
        name,
        change,
        fields: JSON.stringify(fields),
        referrers: referrers === undefined ? null : JSON.stringify(referrers),
        after_at: between?.after ?? null,
        before_at: between?.before ?? null,
        owner: null,
      }
      id += 1
    }
  }
}

const violationColumns = [
  ...['id', 'fingerprint', 'project_id', 'kind', 'uid', 'rule', 'path', 'state', 'severity', 'name', 'message'],
  ...['from_run', 'first_run', 'last_run', 'origin_run', 'replaces', 'waiver'],
]

function* violationRows(run: number, projects: readonly WrittenProject[], firstId: number) {
  let id = firstId
  for (const { id: project_id, state } of projects) {
    for (const violation of state.violations) {
      const { firstRun = run, lastRun = null, originRun = null, replaces = null, waiver, ...found } = violation
      const runs = { from_run: run, first_run: firstRun, last_run: lastRun, origin_run: originRun }
      yield {
        ...found,
        ...runs,
        id,
        project_id,
        replaces,
        waiver: waiver === undefined ? null : JSON.stringify(waiver),
      }
      id += 1
    }
  }
}

type LastIds = Record<'project' | 'version' | 'change' | 'violation', number>

/** The owner of the lease alone adds such rows. */
async function readLastIds(session: Session): Promise<LastIds> {
  const max = (table: keyof LastIds) => `(SELECT coalesce(max(id), 0) FROM hookdrift.${table}) AS ${table}`
  const none: LastIds = { project: 0, version: 0, change: 0, violation: 0 }
  return (
    (await session.get<LastIds>(
      `SELECT ${max('project')}, ${max('version')}, ${max('change')}, ${max('violation')}`,
    )) ?? none
  )
}

import type { Kind, ProjectRef } from '../../model/resource.ts'
import type { HistoryReader } from '../reader.ts'
import { byKindAndUid, compareText } from '../report-order.ts'
import type { Identity } from './resource-life.ts'
import { lastScansAt } from './scans.ts'
import { type Session, sqlOf, type Transaction } from './session.ts'
import { type EvaluableVersion, versionColumns } from './state-at.ts'

export interface ResourceDifference {
  readonly project: ProjectRef
  readonly kind: Kind
  readonly uid: string
  readonly before: EvaluableVersion | undefined
  readonly after: EvaluableVersion | undefined
}

type Side = 'before' | 'after'

type SideRow = EvaluableVersion & {
  readonly side: Side
  readonly projectId: number
  readonly kind: Kind
  readonly uid: string
}

/**
 * What was replaced or ended after `$1`, and what was written instead by `$2`. Found by the starts and ends of versions,
 * so the cost grows only with the changes between the two.
 */
function sidesSql(session: Session): string {
  const side = (name: Side, condition: string) => `SELECT '${name}' AS side, v.project_id AS "projectId",
      ${versionColumns}
    FROM hookdrift.version v CROSS JOIN hookdrift.run r WHERE ${condition} AND r.number = v.from_run`
  // SQLite reads each page of the file once: what ended in the order of ids, and what a run wrote above its floor.
  const before = sqlOf(session, {
    sqlite: 'v.id IN (SELECT id FROM hookdrift.version WHERE to_run > $1 AND to_run <= $2)',
    postgres: 'v.to_run > $1 AND v.to_run <= $2',
  })
  const floor = sqlOf(session, {
    sqlite: 'v.id > (SELECT version_floor FROM hookdrift.run WHERE number > $1 ORDER BY number LIMIT 1) AND',
    postgres: '',
  })
  return `${side('before', `${before} AND v.from_run <= $1`)} UNION ALL
    ${side('after', `${floor} v.from_run > $1 AND v.from_run <= $2 AND (v.to_run IS NULL OR v.to_run > $2)`)}`
}

/** Resources whose version at `to` differs from the one at `from`, an earlier run; by project, kind and uid. */
export function readDiffering(
  history: HistoryReader,
  from: number,
  to: number,
): Promise<readonly ResourceDifference[]> {
  return history.snapshot((session) => differing(session, from, to))
}

/** Visits the same unordered, and holds one at a time: the database sorts the sides, in a file where they are many. */
export function visitDiffering(
  history: HistoryReader,
  from: number,
  to: number,
  visit: (pair: ResourceDifference) => void,
): Promise<void> {
  return history.snapshot((transaction) => visitPairs(transaction, from, to, visit))
}

async function differing(session: Session, from: number, to: number): Promise<ResourceDifference[]> {
  const pairs = new Map<string, { -readonly [Member in keyof ResourceDifference]: ResourceDifference[Member] }>()
  const readSide = await sideReader(session, to)
  for (const row of await session.all<SideRow>(sidesSql(session), [from, to])) {
    const side = readSide(row)
    if (side === undefined) continue
    const pair = pairs.get(side.key) ?? { ...side.identity, before: undefined, after: undefined }
    pair[row.side] = side.version
    pairs.set(side.key, pair)
  }
  return [...pairs.values()]
    .filter(isDifferent)
    .sort((a, b) => compareText(a.project.name, b.project.name) || byKindAndUid(a, b))
}

async function visitPairs(
  transaction: Transaction,
  from: number,
  to: number,
  visit: (pair: ResourceDifference) => void,
): Promise<void> {
  let last: { readonly key: string; pair: ResourceDifference } | undefined
  const end = () => {
    if (last !== undefined && isDifferent(last.pair)) visit(last.pair)
    last = undefined
  }
  const readSide = await sideReader(transaction, to)
  const sql = `${sidesSql(transaction)} ORDER BY "projectId", kind, uid`
  await transaction.each<SideRow>(sql, [from, to], (row) => {
    const side = readSide(row)
    if (side === undefined) return
    if (last?.key !== side.key) end()
    last ??= { key: side.key, pair: { ...side.identity, before: undefined, after: undefined } }
    last.pair = { ...last.pair, [row.side]: side.version }
  })
  end()
}

function isDifferent({ before, after }: ResourceDifference): boolean {
  return before?.digest !== after?.digest
}

/** What a side belongs to; undefined where its project was not scanned by the run. */
async function sideReader(session: Session, run: number) {
  const projects = new Map(
    (await lastScansAt(session, run)).map(({ id, name, service, uid }) => [id, { name, service, uid }]),
  )
  return ({ side: _, projectId, kind, uid, ...version }: SideRow) => {
    const project = projects.get(projectId)
    if (project === undefined) return undefined
    const identity: Identity = { project, kind, uid }
    return { key: `${projectId} ${kind} ${uid}`, identity, version }
  }
}

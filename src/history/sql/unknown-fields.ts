import { type FieldDoubts, type Kind, type ProjectRef, type ResourceKey, resourceKey } from '../../model/resource.ts'
import type { HistoryReader } from '../reader.ts'
import { parseFacts } from '../stored-body.ts'
import { projectIdSql, validAtSql } from './fragments.ts'

/** What is unknown of a resource as of a run. */
export interface UnknownFields {
  readonly kind: Kind
  readonly uid: string
  /** Paths of fields that the last answer about it did not show. */
  readonly unseen: readonly string[]
  /** Whether no run has read the filter rows of this subscription. */
  readonly areRowsUnread: boolean
}

interface DoubtedRow {
  readonly kind: Kind
  readonly uid: string
  readonly facts: string
  readonly areRowsUnread: number | boolean
}

const rowsUnreadSql = `(v.kind = 'subscription' AND v.body NOT LIKE '%"filters":%')`

/** Resources of a project of which a field is unknown as of a run. */
export async function readUnknownFields(
  history: HistoryReader,
  { name, service, uid }: ProjectRef,
  run: number,
): Promise<ReadonlyMap<ResourceKey, UnknownFields>> {
  if (!history.visibility.isVisible(name)) return new Map()
  const rows = await history.ask((session) =>
    session.all<DoubtedRow>(
      `SELECT v.kind, v.uid, v.facts, ${rowsUnreadSql} AS "areRowsUnread" FROM hookdrift.version v
       WHERE v.project_id = ${projectIdSql('$1', '$2')} AND ${validAtSql('v', '$3')}
         AND (v.facts LIKE '%"doubts":{%' OR ${rowsUnreadSql})`,
      [service, uid, run],
    ),
  )
  return new Map(
    rows.map(({ kind, uid, facts, areRowsUnread }) => {
      const unseen = unseenOf(parseFacts(facts).doubts)
      return [resourceKey({ kind, uid }), { kind, uid, unseen, areRowsUnread: Boolean(areRowsUnread) }]
    }),
  )
}

function unseenOf(doubts: FieldDoubts = {}): readonly string[] {
  return Object.entries(doubts).flatMap(([path, { cause }]) => (cause === 'unseen' ? path : []))
}

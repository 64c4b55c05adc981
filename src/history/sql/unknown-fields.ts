import type { Kind, ProjectRef } from '../../model/resource.ts'
import type { HistoryReader } from '../reader.ts'
import { projectIdSql, validAtSql } from './fragments.ts'
import type { StateVersion } from './state-at.ts'

/** A resource of which something is unknown as of a run. `body`: an empty object where only its filter rows are. */
export interface DoubtedVersion extends Pick<StateVersion, 'body' | 'facts' | 'sealKeyId'> {
  readonly kind: Kind
}

/** Resources of a project of which a field is in doubt or masked, or whose filter rows were not read, as of a run. */
export async function readDoubted(
  history: HistoryReader,
  { service, uid }: ProjectRef,
  run: number,
): Promise<readonly DoubtedVersion[]> {
  const isDoubted = `(v.facts LIKE '%"doubts":{%' OR v.body LIKE '%sealed:masked%')`
  return history.ask((session) =>
    session.all<DoubtedVersion>(
      `SELECT v.kind, CASE WHEN ${isDoubted} THEN v.body ELSE '{}' END AS body, v.facts, '' AS "sealKeyId"
       FROM hookdrift.version v WHERE v.project_id = ${projectIdSql('$1', '$2')} AND ${validAtSql('v', '$3')}
         AND (${isDoubted} OR (v.kind = 'subscription' AND v.body NOT LIKE '%"filters":%'))`,
      [service, uid, run],
    ),
  )
}

import { parseEndedBy } from '../model/ending.ts'
import type { Waiver } from '../model/violation.ts'
import type { RecordedViolation } from './records.ts'
import type { ActiveViolation } from './staged.ts'

/** A violation as a draft reads it. */
export type ActiveViolationRow = Omit<ActiveViolation, 'waiver' | 'lastRun' | 'originRun'> & {
  readonly waiver: string | null
  readonly lastRun: number | null
  readonly originRun: number | null
}

/** SQL of its columns, of `violation x`. */
export const activeColumns = `x.id, x.fingerprint, x.kind, x.uid, x.rule, x.path, x.state, x.severity, x.name, x.message,
  x.waiver, x.first_run AS "firstRun", x.last_run AS "lastRun", x.origin_run AS "originRun"`

export function toActiveViolation({ waiver, lastRun, originRun, ...row }: ActiveViolationRow): ActiveViolation {
  const runs = { lastRun: lastRun ?? undefined, originRun: originRun ?? undefined }
  return { ...row, ...runs, waiver: waiver === null ? undefined : waiverOf(waiver) }
}

/** A violation of a record as read. */
export type RecordedRow = Omit<RecordedViolation, 'waiver' | 'ended_by'> & StoredJson

interface StoredJson {
  readonly waiver: string | null
  readonly ended_by: string | null
}

export function toRecordedViolation<Row extends StoredJson>({ waiver, ended_by, ...row }: Row) {
  const ended = { ...row, ended_by: ended_by === null ? null : parseEndedBy(ended_by) }
  return waiver === null ? ended : { ...ended, waiver: waiverOf(waiver) }
}

/** Hookdrift wrote the JSON. */
export function waiverOf(json: string): Waiver {
  return JSON.parse(json)
}

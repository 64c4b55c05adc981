import { parseEndedBy } from '../model/ending.ts'
import type { Waiver } from '../model/violation.ts'
import type { ActiveViolation } from './history.ts'
import type { RecordedViolation } from './records.ts'

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
export type RecordedRow = Omit<RecordedViolation, 'waiver' | 'endedBy'> & StoredJson

interface StoredJson {
  readonly waiver: string | null
  readonly endedBy: string | null
}

export function toRecordedViolation<Row extends StoredJson & { readonly owner?: unknown }>({
  waiver,
  owner,
  endedBy: by,
  ...row
}: Row) {
  const ended = { ...row, endedBy: by === null ? null : parseEndedBy(by) }
  // A service may send an owner that is not text: it names no one.
  const named = owner === undefined ? ended : { ...ended, owner: typeof owner === 'string' ? owner : null }
  return waiver === null ? named : { ...named, waiver: waiverOf(waiver) }
}

/** Hookdrift wrote the JSON. */
export function waiverOf(json: string): Waiver {
  return JSON.parse(json)
}

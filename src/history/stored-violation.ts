import type { Waiver } from '../model/violation.ts'
import type { ActiveViolation } from './history.ts'
import type { RecordedViolation } from './records.ts'

/** A violation as a draft reads it. */
export type ActiveViolationRow = Omit<ActiveViolation, 'waiver' | 'originRun'> & {
  readonly waiver: string | null
  readonly originRun: number | null
}

export type WithOriginRow = ActiveViolationRow & {
  readonly originRun: number
  readonly firstSeen: string
  readonly isActive: 0 | 1
}

export function toActiveViolation({ waiver, originRun, ...row }: ActiveViolationRow): ActiveViolation {
  return { ...row, originRun: originRun ?? undefined, waiver: waiver === null ? undefined : waiverOf(waiver) }
}

/** A violation of a record as read. */
export type RecordedRow = Omit<RecordedViolation, 'waiver'> & { readonly waiver: string | null }

export function toRecordedViolation<Row extends { readonly waiver: string | null; readonly owner?: unknown }>({
  waiver,
  owner,
  ...row
}: Row) {
  // A service may send an owner that is not text: it names no one.
  const named = owner === undefined ? row : { ...row, owner: typeof owner === 'string' ? owner : null }
  return waiver === null ? named : { ...named, waiver: waiverOf(waiver) }
}

/** Hookdrift wrote the JSON. */
export function waiverOf(json: string): Waiver {
  return JSON.parse(json)
}

import type { FieldChange } from '../model/change.ts'
import type { RunRecord, StagedChange } from './records.ts'

/** A change of a run as read, with the name of its project. */
export type RecordedChangeRow = Omit<StagedChange, 'fields' | 'referrers'> & {
  readonly project: string
  readonly fields: string
  readonly referrers: string | null
}

export function toChange({ fields, referrers, ...change }: RecordedChangeRow): RunRecord['changes'][number] {
  return {
    ...change,
    // Hookdrift wrote it.
    fields: JSON.parse(fields) as FieldChange[],
    ...(referrers === null ? {} : { referrers: JSON.parse(referrers) as string[] }),
  }
}

import { type DueOf, dueTimes } from './due-times.ts'
import type { ViolationOrder } from './read-violations.ts'
import { reorderColumns } from './violation-columns.ts'
import { openIndex, sortRows, type ViolationIndex } from './violation-index.ts'

/** The same violations in another order, as `readViolations` has them; equal ones stay in that of reports. */
export function sortViolations(index: ViolationIndex, order: ViolationOrder, dueOf: DueOf): ViolationIndex {
  if (order === 'severity') return index
  const keysOf = (one: ViolationIndex) => (order === 'age' ? firstSeenTimes(one) : dueTimes(one, dueOf))
  const rows = sortRows(index.size, keysOf(index))
  const { size, rules, projects, owners, times } = index
  // Of the former order nothing is held: it may be forgotten before this one.
  const sorted = openIndex({ size, rules, projects, owners, times, ...reorderColumns(index, rows) }, () => 0)
  return { ...sorted, sortKey: keysOf(sorted) }
}

function firstSeenTimes({ times, time }: ViolationIndex): (row: number) => number {
  const parsed = Float64Array.from(times, (text) => Date.parse(text))
  return (row) => parsed[time[row] ?? 0] ?? 0
}

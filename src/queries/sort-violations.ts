import { type DueOf, dueTimes } from './due-times.ts'
import type { ViolationOrder } from './read-violations.ts'
import { sortRows, type ViolationIndex } from './violation-index.ts'

/** The same violations in another order, as `readViolations` has them; equal ones stay in that of reports. */
export function sortViolations(index: ViolationIndex, order: ViolationOrder, dueOf: DueOf): ViolationIndex {
  if (order === 'severity') return index
  const keyOf = order === 'age' ? firstSeenTimes(index) : dueTimes(index, dueOf)
  const rows = sortRows(index.size, keyOf)
  const rowAt = (at: number) => rows[at] ?? 0
  const pick = <Column extends Uint8Array | Uint32Array>(column: Column): Column =>
    column.map((_, at) => column[rowAt(at)] ?? 0) as Column // map forgets which of the two
  return {
    ...index,
    ...{ rule: pick(index.rule), project: pick(index.project), owner: pick(index.owner), time: pick(index.time) },
    ...{ severity: pick(index.severity), state: pick(index.state), kind: pick(index.kind) },
    ...{ waived: pick(index.waived), resource: pick(index.resource) },
    found: (at) => index.found(rowAt(at)),
    sortKey: (at) => keyOf(rowAt(at)),
  }
}

function firstSeenTimes({ times, time }: ViolationIndex): (row: number) => number {
  const parsed = Float64Array.from(times, (text) => Date.parse(text))
  return (row) => parsed[time[row] ?? 0] ?? 0
}

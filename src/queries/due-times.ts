import { kinds } from '../model/resource.ts'
import { type DueDurations, overdueRule, severities, type ViolationState, violationStates } from '../model/violation.ts'
import type { ViolationIndex } from './violation-index.ts'

/** The due durations of a project's policy. */
export type DueOf = (project: string) => DueDurations | undefined

/** By when each row must be fixed, as `dueTime` says: milliseconds since the epoch, Infinity without a due date. */
export function dueTimes(index: ViolationIndex, dueOf: DueOf): (row: number) => number {
  const times = Float64Array.from(index.times, (time) => Date.parse(time))
  const durations = Float64Array.from(
    index.projects.flatMap((project) => severities.map((severity) => dueOf(project)?.[severity] ?? Infinity)),
  )
  const [noDate, policy] = [index.rules.indexOf(overdueRule), kinds.indexOf('policy')]
  const ends = ['resolved', 'waived'].map((state) => violationStates.indexOf(state as ViolationState))
  return (row) => {
    if (index.waived[row] === 1 || ends.includes(index.state[row] ?? 0)) return Infinity
    if (index.rule[row] === noDate || index.kind[row] === policy) return Infinity
    const duration = durations[(index.project[row] ?? 0) * severities.length + (index.severity[row] ?? 0)] ?? Infinity
    return (times[index.time[row] ?? 0] ?? 0) + duration
  }
}

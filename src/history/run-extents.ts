import type { ProjectRef } from '../model/resource.ts'
import { compareText } from './report-order.ts'

/** What a committed run walked and found changed in a project. */
export interface RunExtent {
  readonly run: number
  /** With its name in that run. */
  readonly project: ProjectRef
  readonly walks: number
  /** Walks that were neither complete nor skipped. */
  readonly incomplete: number
  readonly changes: number
}

/** A row of a project in a run, with some of the counts. */
export interface CountedRow extends ProjectRef, Partial<Pick<RunExtent, 'walks' | 'incomplete' | 'changes'>> {
  readonly run: number
}

/** Adds up the rows of each project in a run; sorted by run and name. */
export function addUpExtents(rows: readonly CountedRow[]): RunExtent[] {
  const found = Map.groupBy(rows, ({ run, service, uid }) => JSON.stringify([run, service, uid]))
  return [...found.values()]
    .flatMap((alike) => {
      const [first] = alike
      if (first === undefined) return []
      const { run, name, service, uid } = first
      const sum = (member: 'walks' | 'incomplete' | 'changes') =>
        alike.reduce((total, row) => total + (row[member] ?? 0), 0)
      const counts = { walks: sum('walks'), incomplete: sum('incomplete'), changes: sum('changes') }
      return [{ run, project: { name, service, uid }, ...counts }]
    })
    .sort((a, b) => a.run - b.run || compareText(a.project.name, b.project.name))
}

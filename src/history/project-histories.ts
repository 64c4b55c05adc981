import type { Listing, ProjectRef } from '../model/resource.ts'
import { type Modification, noHistory, type ProjectHistory, type ViolationWithOrigin } from './history.ts'

/** What a backend reads of some projects, each row with the id of its project. */
interface ReadRows {
  readonly shapes: readonly { readonly project: number; readonly listing: Listing; readonly shape: string }[]
  /** Oldest first. */
  readonly modifications: readonly OfProject<Modification>[]
  readonly withOrigin: readonly OfProject<ViolationWithOrigin>[]
  /** Projects that other rules were applied to. */
  readonly underOtherRules: readonly { readonly project: number }[]
}

/** A row of some projects, before it is given to its own. */
interface OfProject<Row> {
  readonly project: number
  readonly row: Row
}

/** Gives each project its rows. `ids`: of the projects, in their order. */
export function assembleHistories(
  projects: readonly ProjectRef[],
  ids: readonly (number | undefined)[],
  { shapes, modifications, withOrigin, underOtherRules }: ReadRows,
): ReadonlyMap<string, ProjectHistory> {
  const shapesOf = Map.groupBy(shapes, ({ project }) => project)
  const modificationsOf = Map.groupBy(modifications, ({ project }) => project)
  const withOriginOf = Map.groupBy(withOrigin, ({ project }) => project)
  const changed = new Set(underOtherRules.map(({ project }) => project))
  return new Map(
    projects.map(({ name }, at): [string, ProjectHistory] => {
      const id = ids[at]
      if (id === undefined) return [name, noHistory]
      const ofListing = (shapesOf.get(id) ?? []).map(({ listing, shape }) => [listing, JSON.parse(shape)] as const)
      return [
        name,
        {
          shapes: Object.fromEntries(ofListing),
          modifications: rowsOf(modificationsOf, id),
          withOrigin: rowsOf(withOriginOf, id),
          isUnderOtherRules: changed.has(id),
        },
      ]
    }),
  )
}

function rowsOf<Row>(byProject: ReadonlyMap<number, readonly OfProject<Row>[]>, project: number): readonly Row[] {
  return (byProject.get(project) ?? []).map(({ row }) => row)
}

import type { ListedResource, ResourceCount, ResourceListChoice } from '../../../src/history/resource-list.ts'
import { type ProjectRef, resourceKey } from '../../../src/model/resource.ts'
import { projectKeyOf, type Rows } from './memory-rows.ts'

/** The resources of a list, found by going through all versions. */
export function listMemory(rows: Rows, choice: ResourceListChoice): ListedResource[] {
  const { kind, withRemoved, after, most } = choice
  return choice.projects
    .flatMap((project, at) =>
      resourcesOf(rows, project, choice.run).filter((row) => at > 0 || after === undefined || inPlace(row, after) > 0),
    )
    .filter((row) => withRemoved || row.removedBy === null)
    .filter((row) => kind === undefined || row.kind === kind)
    .slice(0, most)
}

export function countMemory(rows: Rows, projects: readonly ProjectRef[], run: number): ResourceCount[] {
  return projects.flatMap((project) => {
    const present = resourcesOf(rows, project, run).filter(({ removedBy }) => removedBy === null)
    const groups = Map.groupBy(present, ({ kind }) => kind)
    return [...groups].map(([kind, { length }]) => ({ project, kind, resources: length }))
  })
}

function resourcesOf(rows: Rows, project: ProjectRef, run: number): ListedResource[] {
  const own = rows.versions.filter((row) => row.project === projectKeyOf(project) && row.fromRun <= run)
  const lives = [...Map.groupBy(own, resourceKey).values()]
  return lives
    .flatMap((versions) => versions.toSorted((a, b) => a.fromRun - b.fromRun).slice(-1))
    .map(({ kind, uid, name, since, toRun }) => ({
      ...{ project, kind, uid, name, since },
      removedBy: toRun !== undefined && toRun <= run ? toRun : null,
    }))
    .sort(inPlace)
}

type Placed = Pick<ListedResource, 'kind' | 'uid'>

function inPlace(a: Placed, b: Placed): number {
  const bytes = (text: string) => Buffer.from(text)
  return Buffer.compare(bytes(a.kind), bytes(b.kind)) || Buffer.compare(bytes(a.uid), bytes(b.uid))
}

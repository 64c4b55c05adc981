import { chunks } from '../model/chunks.ts'
import type { ProjectRef, Resource } from '../model/resource.ts'

/** Resources of a project by the places that they were collected under, in the order asked. */
export type FindCollected = (project: ProjectRef, places: readonly number[]) => Promise<readonly Resource[]>

export interface CollectedResource {
  readonly place: number
  readonly resource: Resource
}

/** Resources at a time: memory holds no more of them. */
const readAtOnce = 500

/**
 * Reads what was collected under some places, some at a time.
 * @throws Error when a resource is gone: silence about it would be taken for "fine"
 */
export async function* readCollected(
  find: FindCollected,
  project: ProjectRef,
  places: readonly number[],
): AsyncGenerator<readonly CollectedResource[], void, void> {
  for (const some of chunks(places, readAtOnce)) {
    const resources = await find(project, some)
    yield some.map((place, at) => {
      const resource = resources[at]
      if (resource === undefined) throw new Error(`a resource of ${project.name} was collected and is gone`)
      return { place, resource }
    })
  }
}

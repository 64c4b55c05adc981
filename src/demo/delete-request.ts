import { enveloped } from './answers.ts'
import type { SimulatedRelease } from './behaviour.ts'
import { deleteEndpoint, deleteSource, deleteSubscription } from './edits.ts'
import type { SimulatedAnswer } from './fault.ts'
import type { SimulatedFleet } from './fleet.ts'

/** A request that deletes a project or a resource in it. Deliveries stay. */
export interface Deletion {
  readonly method: 'DELETE'
  readonly name: 'delete'
  readonly projectUid: string
  readonly of: keyof typeof deletions
  readonly uid: string
}

/** `rest`: the path below the project; undefined for the project itself. */
export function deletionAt(method: string, projectUid: string, rest: string | undefined): Deletion | undefined {
  if (method !== 'DELETE') return undefined
  const deletion = { method, name: 'delete', projectUid } as const
  if (rest === undefined) return { ...deletion, of: 'projects', uid: projectUid }
  const [, list, uid] = /^([a-z]+)\/([^/]+)$/.exec(rest) ?? []
  const of = (['endpoints', 'subscriptions', 'sources'] as const).find((name) => name === list)
  return of === undefined || uid === undefined ? undefined : { ...deletion, of, uid }
}

const deletions = {
  projects: { deleted: 'Project', status: 400, gone: 'project not found' },
  endpoints: { deleted: 'Endpoint', status: 400, gone: 'endpoint not found' },
  subscriptions: { deleted: 'Subscription', status: 404, gone: 'failed to find subscription' },
  sources: { deleted: 'Source', status: 404, gone: 'source not found' },
} as const

export function performDeletion(
  fleet: SimulatedFleet,
  { projectUid: project, of, uid }: Deletion,
  release: SimulatedRelease,
): SimulatedAnswer {
  const { deleted, status, gone } = deletions[of]
  const rows = of === 'projects' ? fleet.projects() : fleet.open(project)[of]
  if (!rows.some((row) => row.uid === uid)) return enveloped(release, status, gone)
  if (of === 'projects') fleet.remove(project)
  if (of === 'endpoints') deleteEndpoint(fleet, { project, uid })
  if (of === 'subscriptions') deleteSubscription(fleet, { project, uid })
  if (of === 'sources') deleteSource(fleet, { project, uid })
  return enveloped(release, 200, `${deleted} deleted successfully`, null)
}

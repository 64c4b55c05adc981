import { type Kind, type ProjectRef, type ResourceKey, resourceKey } from '../model/resource.ts'
import type { Amendment, Approval, ApprovedBody } from './approvals.ts'
import type { VersionPoint } from './stored-body.ts'

type Identified = Pick<Amendment, 'kind' | 'uid'>

interface Amended {
  isAmended(resource: Identified): boolean
  /** The run whose state of a resource is approved; undefined when it came from files. */
  runOf(resource: Identified): number | undefined
}

/** Which resources of an approved state were approved by themselves. */
export function amendedIn({ run, amendments = [] }: Pick<Approval, 'run' | 'amendments'>): Amended {
  const runs: ReadonlyMap<ResourceKey, number> = new Map(amendments.map((one) => [resourceKey(one), one.run]))
  return {
    isAmended: (resource) => runs.size > 0 && runs.has(resourceKey(resource)),
    runOf: (resource) => (runs.size === 0 ? run : (runs.get(resourceKey(resource)) ?? run)),
  }
}

interface StateReader {
  /** Those that are stored with the approval, in the order asked. */
  stored(resources: readonly Identified[]): Promise<readonly (ApprovedBody | undefined)[]>
  versionsAt(project: ProjectRef, points: readonly VersionPoint[]): Promise<readonly (ApprovedBody | undefined)[]>
}

/** Resources of an approved state, in the order asked; undefined where it has none. */
export async function readApprovedBodies(
  approval: Pick<Approval, 'run' | 'project' | 'amendments'>,
  resources: readonly Identified[],
  { stored, versionsAt }: StateReader,
): Promise<readonly (ApprovedBody | undefined)[]> {
  const { run, project, amendments = [] } = approval
  if (run === undefined) return stored(resources)
  const atRun = ({ kind, uid }: { readonly kind: Kind; readonly uid: string }) => ({ kind, uid, run })
  if (amendments.length === 0) return versionsAt(project, resources.map(atRun))
  const { isAmended } = amendedIn(approval)
  const [amended, others] = [resources.filter(isAmended), resources.filter((resource) => !isAmended(resource))]
  const [own, ofRun] = [await stored(amended), await versionsAt(project, others.map(atRun))]
  const found = new Map<Identified, ApprovedBody | undefined>([
    ...amended.map((resource, at) => [resource, own[at]] as const),
    ...others.map((resource, at) => [resource, ofRun[at]] as const),
  ])
  return resources.map((resource) => found.get(resource))
}

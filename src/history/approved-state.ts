import { type ResourceKey, resourceKey } from '../model/resource.ts'
import type { Amendment, Approval } from './approvals.ts'

type AmendedResource = Pick<Amendment, 'kind' | 'uid'>

interface AmendmentIndex {
  isAmended(resource: AmendedResource): boolean
  /** The run whose state of a resource is approved; undefined when it came from files. */
  runOf(resource: AmendedResource): number | undefined
}

/** Which resources of an approved state were approved by themselves. */
export function amendedIn({ run, amendments = [] }: Pick<Approval, 'run' | 'amendments'>): AmendmentIndex {
  const runs: ReadonlyMap<ResourceKey, number> = new Map(amendments.map((one) => [resourceKey(one), one.run]))
  return {
    isAmended: (resource) => runs.size > 0 && runs.has(resourceKey(resource)),
    runOf: (resource) => (runs.size === 0 ? run : (runs.get(resourceKey(resource)) ?? run)),
  }
}

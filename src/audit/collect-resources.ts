import { type StoredResource, toResource } from '../history/stored-body.ts'
import { VersionList } from '../marks/version-list.ts'
import type { Resource } from '../model/resource.ts'
import type { ProjectEvaluator } from '../policy/evaluate-project.ts'

/** A resource that passes: as it was read, or by the id of its version alone. */
export interface PassedResource {
  readonly version: number
  readonly resource: Resource | undefined
  /** Whether this run saw it for the first time, or saw it differ. */
  readonly isNew: boolean
}

/**
 * Passes the resources of a project to the rules across resources in the order of walking; not at all where the same
 * versions pass in the same order as in the last scan, for then the rules find the same.
 */
export interface Collector {
  pass(resources: readonly PassedResource[]): Promise<void>
  /** Once all have passed: whether they are those of the last scan, so that nothing was collected. */
  end(options: { readonly mayBeSame: boolean }): Promise<boolean>
  /** Of the versions and their order. */
  digest(): string
}

/** `before`: the digest of the last scan; undefined: collect at once. `read`: reads versions in the order asked. */
export function openCollector(
  ofProject: Pick<ProjectEvaluator, 'collect'>,
  read: (versions: readonly number[]) => Promise<readonly StoredResource[]>,
  before: string | undefined,
): Collector {
  const versions = new VersionList()
  let isWaiting = before !== undefined

  async function collect(resources: readonly Pick<PassedResource, 'version' | 'resource'>[]): Promise<void> {
    const stored = resources.flatMap(({ version, resource }) => (resource === undefined ? [version] : []))
    const bodies = stored.length === 0 ? [] : await read(stored)
    let at = 0
    for (const { resource } of resources) ofProject.collect(resource ?? resourceOf(bodies[at++]))
  }

  async function collectWaiting(): Promise<void> {
    isWaiting = false
    for (let from = 0; from < versions.length; from += readAtOnce) {
      await collect(versions.slice(from, from + readAtOnce).map((version) => ({ version, resource: undefined })))
    }
    versions.clear()
  }

  return {
    async pass(resources) {
      if (isWaiting && resources.some(({ isNew }) => isNew)) await collectWaiting()
      for (const { version } of resources) {
        if (isWaiting) versions.add(version)
        else versions.note(version)
      }
      if (!isWaiting) await collect(resources)
    },
    async end({ mayBeSame }) {
      if (isWaiting && mayBeSame && versions.digest === before) return true
      if (isWaiting) await collectWaiting()
      return false
    },
    digest: () => versions.digest,
  }
}

/** Bodies at a time: memory holds no more of them. */
const readAtOnce = 500

/** What is not stored is read by no rule across resources: with such a rule, nothing is passed by its version. */
function resourceOf(stored: StoredResource | undefined): Resource {
  if (stored === undefined) throw new Error('a version that was recognised is not in the history')
  return toResource(stored)
}

import type { EndedVersion } from '../history/sql/state-at.ts'
import type { CurrentVersion } from '../history/staged.ts'
import { readStoredVersion, type StoredBody } from '../history/stored-body.ts'
import { type Kind, type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'

type Identity = Pick<Resource, 'kind' | 'uid'>

/** What the history knows of a project's resources from before the run. */
export class KnownVersions {
  readonly #byKind = new Map<Kind, Map<string, CurrentVersion>>()
  /** Of resources whose past was read, the newest first. */
  readonly #ended = new Map<ResourceKey, readonly EndedVersion[]>()

  constructor(versions: readonly CurrentVersion[]) {
    for (const version of versions) {
      const ofKind = this.#byKind.get(version.kind) ?? new Map<string, CurrentVersion>()
      this.#byKind.set(version.kind, ofKind.set(version.uid, version))
    }
  }

  /** Takes the ended versions of some resources: all of them. */
  takeEnded(resources: readonly Identity[], ended: readonly EndedVersion[]): void {
    const byResource = Map.groupBy(ended, resourceKey)
    for (const resource of resources)
      this.#ended.set(resourceKey(resource), byResource.get(resourceKey(resource)) ?? [])
  }

  find(kind: Kind, uid: string): CurrentVersion | undefined {
    return this.#byKind.get(kind)?.get(uid)
  }

  /** As it was before the run; undefined where no scan knew it. */
  before({ kind, uid }: Identity): StoredBody | undefined {
    const version = this.find(kind, uid)
    return version && readStoredVersion(version)
  }

  /**
   * As of an earlier run; undefined where there was none then.
   * @throws Error where its past was not read
   */
  at({ kind, uid }: Identity, run: number): StoredBody | undefined {
    const current = this.find(kind, uid)
    if (current !== undefined && current.fromRun <= run) return readStoredVersion(current)
    const ended = this.#ended.get(resourceKey({ kind, uid }))
    if (ended === undefined) throw new Error(`the past of ${kind} ${uid} was not read`)
    const version = ended.find(({ fromRun, toRun }) => fromRun <= run && toRun > run)
    return version && readStoredVersion(version)
  }

  /** Those of a kind, in the order of their uids. `shown`: without these. */
  ofKind(kind: Kind, shown?: Pick<ReadonlySet<ResourceKey>, 'has'>): readonly CurrentVersion[] {
    const all = [...(this.#byKind.get(kind)?.values() ?? [])]
    return shown === undefined ? all : all.filter((version) => !shown.has(resourceKey(version)))
  }

  *all(): Generator<CurrentVersion> {
    for (const ofKind of this.#byKind.values()) yield* ofKind.values()
  }

  /** Of all that is current, and of what was removed before and whose past was read. */
  *identities(): Generator<Identity> {
    yield* this.all()
    for (const [version] of this.#ended.values()) {
      if (version !== undefined && this.find(version.kind, version.uid) === undefined) yield version
    }
  }
}

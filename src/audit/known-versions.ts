import type { KnownVersion } from '../history/history.ts'
import type { Kind } from '../model/resource.ts'

/** What the history knows of a project's resources from before the run, and which of them the run has seen again. */
export class KnownVersions {
  readonly #byKind = new Map<Kind, Map<string, KnownVersion>>()
  readonly #seen = new Set<KnownVersion>()

  constructor(versions: readonly KnownVersion[]) {
    for (const version of versions) {
      const ofKind = this.#byKind.get(version.kind) ?? new Map<string, KnownVersion>()
      this.#byKind.set(version.kind, ofKind.set(version.uid, version))
    }
  }

  find(kind: Kind, uid: string): KnownVersion | undefined {
    return this.#byKind.get(kind)?.get(uid)
  }

  see(version: KnownVersion): void {
    this.#seen.add(version)
  }

  /** Those of a kind that the run has not seen, in the order of their uids. */
  unseen(kind: Kind): readonly KnownVersion[] {
    return [...(this.#byKind.get(kind)?.values() ?? [])].filter((version) => !this.#seen.has(version))
  }
}

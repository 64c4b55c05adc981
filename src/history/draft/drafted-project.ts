import { deflateSync, inflateSync } from 'node:zlib'
import type { Coverage } from '../../model/coverage.ts'
import type { Ending } from '../../model/ending.ts'
import type { ProjectNotice } from '../../model/notice.ts'
import type { Kind, Listing } from '../../model/resource.ts'
import type { AcceptanceEnding } from '../acceptances.ts'
import type { StagedChange } from '../records.ts'
import type { NewVersion, NewViolation, ReadingName } from '../staged.ts'

/** All that a run leaves of a project: the commit writes it. */
export interface DraftedProject {
  /** The project's name; null unless it was scanned. */
  scan: string | null
  /** By listing. */
  walks: Record<string, StagedWalk>
  notices: NumberedNotice[]
  versions: DraftedVersions
  /** Ids of versions from before the run that it ended without new ones. */
  endedVersions: number[]
  changes: StagedChange[]
  violations: NewViolation[]
  /** Ids of violations from before the run that it found unchanged. */
  confirmed: number[]
  endedViolations: Record<number, Ending>
  endedAcceptances: Record<number, AcceptanceEnding>
  unreferenced: Partial<Record<Kind, MarkChanges>>
  /** Uids of removals that wait for the next scan, by listing: JSON. */
  withheld: Partial<Record<Listing, string>>
  /** What the scan leaves for the next one. */
  readings: Partial<Record<ReadingName, string>>
}

/** As plain JSON: one machine may walk the project, and another one commit the run. */
export interface ExportedProject extends Omit<DraftedProject, 'versions'> {
  readonly versions: readonly NewVersion[]
}

/** Versions that are compressed together. */
const packedTogether = 2_000

/** New versions of a project, in the order of their ids. Compressed, they take a tenth of the memory. */
export class DraftedVersions implements Iterable<NewVersion> {
  /** Ids of the versions that they replace. */
  readonly replaced: number[] = []
  /** Of all bodies. */
  characters = 0
  readonly #packed: Buffer[] = []
  #open: NewVersion[] = []

  add(versions: Iterable<NewVersion>): void {
    for (const version of versions) {
      this.characters += version.body.length
      if (version.replaces !== undefined) this.replaced.push(version.replaces)
      this.#open.push(version)
      if (this.#open.length === packedTogether) this.pack()
    }
  }

  /** Compresses all that there is. */
  pack(): void {
    if (this.#open.length === 0) return
    this.#packed.push(deflateSync(JSON.stringify(this.#open), { level: 1 }))
    this.#open = []
  }

  *[Symbol.iterator](): Generator<NewVersion> {
    // This process packed them.
    for (const packed of this.#packed) yield* JSON.parse(inflateSync(packed).toString()) as NewVersion[]
    yield* this.#open
  }
}

interface StagedWalk extends Coverage {
  /** Sorted paths, as JSON; null where it equals the last one. */
  readonly shape: string | null
}

export interface NumberedNotice extends ProjectNotice {
  /** Its index among all notices that the draft staged. */
  readonly at: number
}

/** What the commit does to the unreferenced marks of a kind. */
export interface MarkChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Of a project of which nothing was staged, but for its scan and walks. */
export function untouchedProject({ scan, walks }: Pick<DraftedProject, 'scan' | 'walks'> = { scan: null, walks: {} }) {
  const state: DraftedProject = {
    scan,
    walks,
    notices: [],
    versions: new DraftedVersions(),
    endedVersions: [],
    changes: [],
    violations: [],
    confirmed: [],
    endedViolations: {},
    endedAcceptances: {},
    unreferenced: {},
    withheld: {},
    readings: {},
  }
  return state
}

/** Ids of rows from before the run that rows of it replace. */
export function replacedBy(rows: readonly { readonly replaces: number | undefined }[]): number[] {
  return rows.flatMap(({ replaces }) => replaces ?? [])
}

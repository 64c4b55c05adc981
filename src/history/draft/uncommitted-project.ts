import type { Coverage } from '../../model/coverage.ts'
import type { Ending } from '../../model/ending.ts'
import type { ProjectNotice } from '../../model/notice.ts'
import type { Kind, Listing } from '../../model/resource.ts'
import type { AcceptanceEnding } from '../acceptances.ts'
import type { ReadingName } from '../staged.ts'

/**
 * What a draft keeps of a project until the commit, as plain JSON: one machine may walk the project, and another one
 * commit the run.
 */
export interface UncommittedProject {
  /** The project's name; null unless it was scanned. */
  scan: string | null
  /** By listing. */
  walks: Record<string, StagedWalk>
  notices: NumberedNotice[]
  /** Uids of removals that wait for the next scan, by listing: JSON. */
  withheld: Partial<Record<Listing, string>>
  /** Versions from before the run that it replaced or ended. */
  endedVersions: IdBits
  /** Violations from before the run that it confirmed or replaced. */
  confirmed: IdBits
  replaced: IdBits
  endedViolations: Record<number, Ending>
  endedAcceptances: Record<number, AcceptanceEnding>
  unreferenced: Partial<Record<Kind, MarkChanges>>
  /** What the scan leaves for the next one. */
  readings: Partial<Record<ReadingName, string>>
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
interface MarkChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Of a project of which nothing was staged, but for its scan and walks. */
export function untouchedProject(
  { scan, walks }: Pick<UncommittedProject, 'scan' | 'walks'> = { scan: null, walks: {} },
) {
  const state: UncommittedProject = {
    scan,
    walks,
    notices: [],
    withheld: {},
    endedVersions: {},
    confirmed: {},
    replaced: {},
    endedViolations: {},
    endedAcceptances: {},
    unreferenced: {},
    readings: {},
  }
  return state
}

/**
 * A set of positive integers as plain JSON: by number of each group of 32, a bit for each member. Ids that follow each
 * other, as those of a page do, take little memory, and they may start high.
 */
type IdBits = Record<number, number>

/** Returns whether it is new. */
export function addId(bits: IdBits, id: number): boolean {
  const group = Math.floor(id / 32)
  const before = bits[group] ?? 0
  const after = before | (1 << (id % 32))
  bits[group] = after
  return after !== before
}

export function hasId(bits: IdBits, id: number): boolean {
  return ((bits[Math.floor(id / 32)] ?? 0) & (1 << (id % 32))) !== 0
}

/** Ascending. */
export function* idsIn(bits: IdBits): Generator<number> {
  for (const [group, members] of Object.entries(bits)) {
    for (let bit = 0; bit < 32; bit += 1) if ((members >>> bit) & 1) yield Number(group) * 32 + bit
  }
}

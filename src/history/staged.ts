import type { Ending } from '../model/ending.ts'
import type { Kind, Listing } from '../model/resource.ts'
import type { FailOn, Finding, Waiver } from '../model/violation.ts'
import type { BodyColumns } from './body-columns.ts'
import type { StoredVersion } from './stored-body.ts'

export interface RunStart {
  /** Of a run that is replayed. Default: the next one. */
  readonly number?: number
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly failOn: FailOn
  readonly toolVersion: string
  readonly policyDigest: string
  readonly configurationDigest: string
  /** Which installation key seals what this run writes. */
  readonly sealKeyId: string
  /** Version of the normal form in which the run compares resources. */
  readonly normaliser: number
}

export interface ProjectHistory {
  /** The last staged shape of each listing, as sorted paths. */
  readonly shapes: Readonly<Partial<Record<Listing, readonly string[]>>>
  /** Modifications of its resources in the runs that were asked for, oldest first. */
  readonly modifications: readonly Modification[]
  /** Violations that name an origin: active ones, and accepted ones whose acceptance holds or was revoked since. */
  readonly withOrigin: readonly ViolationWithOrigin[]
}

/** Of a project that no run has scanned. */
export const noHistory: ProjectHistory = { shapes: {}, modifications: [], withOrigin: [] }

export interface CurrentVersion extends StoredVersion {
  readonly id: number
  readonly kind: Kind
  readonly uid: string
  readonly digest: string
}

/** How a run evaluated that did not do so as the one that asks. */
export interface OtherRules {
  /** Whether policy and configuration are the same, so that only the program is another one. */
  readonly isPolicyAlike: boolean
  /** The program that asks. */
  readonly version: string
}

/** `filters`: when the filter rows of subscriptions were read. `items`: which version the bytes of an item became. */
export type ReadingName = 'filters' | 'items'

export interface NewVersion {
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly digest: string
  /** Canonical JSON of the attributes. */
  readonly body: string
  /** Canonical JSON of the facts; empty when there are none. */
  readonly facts: string
  readonly columns: BodyColumns
  readonly normaliser: number
  readonly replaces: number | undefined
}

export interface Modification {
  readonly kind: Kind
  readonly uid: string
  readonly run: number
  /** Start of that run: ISO 8601, UTC. */
  readonly at: string
  /** JSON Pointers of the fields that changed. */
  readonly paths: readonly string[]
}

export interface ActiveViolation extends Finding {
  readonly id: number
  readonly fingerprint: string
  readonly state: 'open' | 'unknown' | 'waived'
  readonly waiver: Waiver | undefined
  readonly firstRun: number
  /** The last run that found it, where the last scan of its project did not; undefined: that scan did. */
  readonly lastRun: number | undefined
  readonly originRun: number | undefined
}

/** A violation that a comparison with an earlier version decides. */
export interface ViolationWithOrigin extends ActiveViolation {
  readonly originRun: number
  /** Start of the run that opened it: ISO 8601, UTC. */
  readonly first_seen: string
  /** False for one that ended as accepted: found again without the acceptance, it is opened again. */
  readonly isActive: boolean
}

export interface OldViolation extends ActiveViolation {
  /** Start of the run that opened it: ISO 8601, UTC. */
  readonly first_seen: string
  /** Why this run ended it; undefined: it did not. */
  readonly ending: Ending | undefined
}

export interface NewViolation extends Finding {
  readonly fingerprint: string
  readonly state: 'open' | 'unknown' | 'waived'
  /** Present when `waived`, and when `unknown` and last seen as waived. */
  readonly waiver: Waiver | undefined
  /** The run that opened it; undefined: this one. */
  readonly firstRun: number | undefined
  /** The run that last saw it; undefined: this one. */
  readonly lastRun: number | undefined
  /** The run whose scan shows the value before the change, for drift rules. */
  readonly originRun: number | undefined
  readonly replaces: number | undefined
}

export interface StagedViolations {
  /** Ids of active violations that the run found unchanged. */
  readonly confirmed: readonly number[]
  readonly violations: readonly NewViolation[]
}

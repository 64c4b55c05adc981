import type { PolicyEvaluation } from '../history/records.ts'
import type { Gap } from '../model/gap.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { Policy } from '../policy/policy.ts'
import type { ScanCriteria } from './reconcile.ts'

export interface Fleet {
  readonly policy: Policy
  /** Whether every configured project was scanned: what spans the fleet needs to see it whole. */
  readonly isWholeFleet: boolean
  /** Start of the run, in milliseconds since the epoch. */
  readonly now: number
  /** The run's number. */
  readonly run: number
  /** What rules could not evaluate in the last scan of a project. */
  gapsBefore(project: ProjectRef): readonly Gap[]
  /** Of the lists of projects; undefined: none was searched. */
  readonly lists?: SearchedLists
  readonly services?: ServiceConclusions
}

/** What was said of services. */
export interface ServiceConclusions {
  readonly usedWaivers: readonly number[]
  /** Rules that could not say anything of some service. */
  readonly unsure: readonly string[]
  /** Whether each rule evaluated the service, as 1 or 0, with each of its projects; by the project's name. */
  readonly evaluated: ReadonlyMap<string, Readonly<Record<string, number>>>
}

export interface SearchedLists {
  /** Waivers that match what was found, by their indexes in the policy's list. */
  readonly usedWaivers: readonly number[]
  /** Whether each list that was searched says something. */
  readonly areRead: boolean
}

/** What is found at the end of a run, to be reconciled with the violations of a project. */
export interface ProjectConclusion {
  readonly project: ProjectRef
  readonly findings: readonly Finding[]
  readonly criteria: ScanCriteria
}

export interface ConcludedProject extends ProjectConclusion {
  /** Rules that could not evaluate the project, and why. */
  readonly failures: Readonly<Record<string, string>>
}

export interface FleetConclusion {
  /** What rules across projects found, by project, in the configured order. */
  readonly projects: readonly ConcludedProject[]
  /** What rules say of the policy's waivers. */
  readonly waivers: ProjectConclusion
  readonly context: PolicyEvaluation
}

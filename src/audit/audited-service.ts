import type { Coverage } from '../model/coverage.ts'
import type { FileLocation } from '../model/evaluation.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { AuditedProject } from './project-scan.ts'

/** One service to scan, and which of its projects. */
export interface AuditedService {
  readonly name: string
  readonly client: ServiceClient
  /** Reads the list of its projects. */
  readonly key: string
  readonly keyOrigin?: string
  readonly urlOrigin?: string
  /** The service's identifier of the organisation whose projects are listed; undefined: that of a named project. */
  readonly organisation: string | undefined
  /** All that the configuration names, whether a run scans them or not. */
  readonly named: readonly AuditedProject[]
  /** Which projects of the list are scanned too, the first that fits; empty: the list decides nothing. */
  readonly matches: readonly MatchingEntry[]
  /** Makes a project of the list one to scan. */
  open(ref: ProjectRef, entry: FoundEntry): AuditedProject
}

/** What the configuration says of projects that it finds. */
export interface FoundEntry {
  readonly labels: Readonly<Record<string, string>>
  readonly configuredAt: FileLocation | null
}

export interface MatchingEntry extends FoundEntry {
  /** Of names and ids; `*` is any text. */
  readonly pattern: string
}

/** What a service's list of projects showed. */
export interface ProjectList {
  readonly service: string
  readonly coverage: Coverage
  /** Projects that the list did not have when it was last read. */
  readonly added: readonly ProjectRef[]
}

import type { Listing } from './resource.ts'

/**
 * What a walk proved. Only `complete` proves that a resource is absent. `skipped`: an optional listing that the service
 * does not offer. `suspect`: complete, but its removals are withheld.
 */
export const coverageStatuses = ['complete', 'partial', 'failed', 'suspect', 'skipped'] as const
export type CoverageStatus = (typeof coverageStatuses)[number]

export interface Coverage {
  readonly listing: Listing
  readonly status: CoverageStatus
  /** How the configuration narrowed the walk, such as `owner=tenant-03`; null when it did not. */
  readonly filter: string | null
  /** Why it is not complete, with page and request id where known; null when complete. */
  readonly reason: string | null
  readonly pages: number
  /** Items that the service listed, without those lifted out of them. */
  readonly items: number
  readonly requests: number
  readonly retries: number
  readonly durationMs: number
}

/** Whether a run with this coverage scanned all that it was configured to scan. */
export function isCoverageComplete(coverage: readonly { readonly status: CoverageStatus }[]): boolean {
  return coverage.every(({ status }) => status === 'complete' || status === 'skipped')
}

const bugPrefix = 'a bug in hookdrift ended the audit of this project'

/** The reason of walks that a bug in hookdrift ended. `errorClass` names it; a message could quote a service. */
export function bugReason(errorClass: string): string {
  return `${bugPrefix} (${errorClass}): nothing of it was kept. The log says where; please report it`
}

/** Whether a bug in hookdrift ended a walk, by its reason. A service's text never begins like this. */
export function isBug({ status, reason }: Pick<Coverage, 'status' | 'reason'>): boolean {
  return status === 'failed' && reason !== null && reason.startsWith(bugPrefix)
}

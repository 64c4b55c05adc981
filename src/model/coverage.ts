import type { Listing } from './resource.ts'

/**
 * What a walk proved. Only `complete` says anything about what is absent.
 * `skipped`: a listing used where offered, and it was not offered. `suspect`: complete, but its losses are held back.
 */
export const coverageStatuses = ['complete', 'partial', 'failed', 'suspect', 'skipped'] as const
export type CoverageStatus = (typeof coverageStatuses)[number]

export interface Coverage {
  readonly listing: Listing
  readonly status: CoverageStatus
  /** What the walk was narrowed to by configuration, such as `owner=tenant-03`; null when it was not. */
  readonly filter: string | null
  /** Why it is not complete, with page and request id where known; null when complete. */
  readonly reason: string | null
  readonly pages: number
  /** What the service listed, not what was lifted out of it. */
  readonly items: number
  readonly requests: number
  readonly retries: number
  readonly durationMs: number
}

/** Whether a run with this coverage looked at all it was asked to look at. */
export function isCoverageComplete(coverage: readonly { readonly status: CoverageStatus }[]): boolean {
  return coverage.every(({ status }) => status === 'complete' || status === 'skipped')
}

const bugPrefix = 'a bug in hookdrift ended the audit of this project'

/** The reason of walks that a bug of ours ended. `errorClass` says which; a message could quote what a service sent. */
export function bugReason(errorClass: string): string {
  return `${bugPrefix} (${errorClass}): nothing of it was kept. The log says where; please report it`
}

/** Whether a bug of ours ended a walk, by the reason that its coverage keeps. What a service says never begins so. */
export function isBug({ status, reason }: Pick<Coverage, 'status' | 'reason'>): boolean {
  return status === 'failed' && reason !== null && reason.startsWith(bugPrefix)
}

import { z } from 'zod'
import type { Listing } from './resource.ts'
import { count, walkedListing } from './schema.ts'

/**
 * What a walk proved. Only `complete` proves that a resource is absent. `skipped`: an optional listing that the service
 * does not offer. `suspect`: complete, but its removals are withheld.
 */
export const gapStatuses = ['partial', 'failed', 'suspect', 'skipped'] as const
export const coverageStatuses = ['complete', ...gapStatuses] as const
export type CoverageStatus = (typeof coverageStatuses)[number]

/**
 * Why a walk is not complete. A listing that answers is:
 * - `sigint`, `sigterm`, `run_timeout`, `stopped`: cut short, by a signal to the process, by the run's time limit, by
 *   something else
 * - `timeout`, `network`, `unknown_host`, `tls`: not reached, or not answered within the limits
 * - `wrong_url`: at another address than the configured one, as the answer shows
 * - `rate_limited` (429), `http`: answered with an error of the service's own
 * - `in_front`: answered by a proxy, firewall, login or mesh in front of the service, as the form of the answer shows
 * - `refused_key`, `forbidden`, `not_found`: not shown to this key, which is unknown (401) or has not the right (403); the
 *   project does not exist, or not for this key
 * - `not_offered`: unknown to the service, or hidden behind a wrong base path
 * - `malformed`: answered in breach of the contract
 * - `foreign`: another project's: the key belongs to that one
 * - `unseen_fields`: without a field in any item that every release shows
 * - `contradicted`: without resources that subscriptions of the same scan show
 * - `unproven`: empty, and the service does not say whose key it is
 * - `suspect_loss`, `suspect_page`: short of too many resources at once, or of a page that was promised
 * - `bug`: audited by a program with a bug, which ended the audit of the project
 */
export const coverageCauses = [
  'sigint',
  'sigterm',
  'run_timeout',
  'stopped',
  'timeout',
  'network',
  'unknown_host',
  'tls',
  'wrong_url',
  'rate_limited',
  'http',
  'in_front',
  'refused_key',
  'forbidden',
  'not_found',
  'not_offered',
  'malformed',
  'foreign',
  'unseen_fields',
  'contradicted',
  'unproven',
  'suspect_loss',
  'suspect_page',
  'bug',
] as const
export type CoverageCause = (typeof coverageCauses)[number]

export const walkCoverage = z.object({
  listing: walkedListing,
  status: z
    .enum(coverageStatuses)
    .describe(
      'Only complete says anything about what is absent. skipped: not offered by the service. suspect: its losses are held back.',
    ),
  cause: z.enum(coverageCauses).nullable().describe('Why it is not complete, as a code; null when complete.'),
  reason: z.string().nullable().describe('The same as a sentence; null when complete.'),
  filter: z
    .string()
    .nullable()
    .describe('What the walk was narrowed to by configuration, such as owner=tenant-03; null when it was not.'),
  pages: count,
  items: count.describe('What the service listed, not what was lifted out of it.'),
  of: count
    .describe('Of filters: how many subscriptions were listed, where items counts those whose rows were read.')
    .exactOptional(),
  /** ISO 8601. */
  oldest_at: z
    .string()
    .nullable()
    .describe('Of filters: when the oldest rows were read; null where none ever were.')
    .exactOptional(),
  requests: count,
  retries: count,
  duration_ms: z.number().min(0),
})
export type Coverage = z.infer<typeof walkCoverage>

/** Of the filter rows of a project's subscriptions. */
export interface FilterCoverage extends Coverage {
  readonly listing: 'filters'
  readonly of: number
  readonly oldest_at: string | null
}

/** Of a listing of a project. */
export interface ProjectCoverage extends Coverage {
  readonly listing: Listing
}

/** The signal to the process that ended a walk; undefined where none did. */
export function signalOf({ cause }: Pick<Coverage, 'cause'>): 'SIGINT' | 'SIGTERM' | undefined {
  if (cause === 'sigint') return 'SIGINT'
  return cause === 'sigterm' ? 'SIGTERM' : undefined
}

/** Whether a signal to the process ended a walk. */
export function isInterrupted(walk: Pick<Coverage, 'cause'>): boolean {
  return signalOf(walk) !== undefined
}

/** Whether a run with this coverage scanned all that it was configured to scan. No walk at all proves nothing. */
export function isCoverageComplete(coverage: readonly { readonly status: CoverageStatus }[]): boolean {
  return coverage.length > 0 && coverage.every(({ status }) => status === 'complete' || status === 'skipped')
}

/** The facts of a failed exchange with a service. Coverage keeps them as one line: its `reason`. */
export interface FailureFacts {
  /** What happened, and what the cause may be; begins with `page 3: ` or `project: ` where that is known. */
  readonly what: string
  /** What was requested, without query and credentials. */
  readonly url: string | null
  /** Where the URL of the service is configured (`expand-references.ts`); null where it is not what to check. */
  readonly urlOrigin: string | null
  /** Where the key is configured, and what may be said of it (`expand-references.ts`). */
  readonly key: string | null
  /** The service's id of the exchange. */
  readonly requestId: string | null
}

/** `what (GET https://…/endpoints, url hookdrift.yaml:4:10, key ${ACME_KEY} at hookdrift.yaml:5:10, request id abc)` */
export function writeReason({ what, url, urlOrigin, key, requestId }: FailureFacts): string {
  const facts = [
    ...(url === null ? [] : [`GET ${url}`]),
    ...(urlOrigin === null ? [] : [`url ${urlOrigin}`]),
    ...(key === null ? [] : [`key ${key}`]),
    ...(requestId === null ? [] : [`request id ${requestId}`]),
  ]
  return facts.length === 0 ? what : `${what} (${facts.join(', ')})`
}

/** Reads back what `writeReason` wrote. A reason of another form is all `what`. */
export function readReason(reason: string): FailureFacts {
  const none = { url: null, urlOrigin: null, key: null, requestId: null }
  const start = reason.lastIndexOf(' (')
  if (start < 0 || !reason.endsWith(')')) return { what: reason, ...none }
  const facts: { -readonly [Fact in Exclude<keyof FailureFacts, 'what'>]: FailureFacts[Fact] } = { ...none }
  for (const part of reason.slice(start + 2, -1).split(', ')) {
    if (part.startsWith('GET ')) facts.url = part.slice('GET '.length)
    else if (part.startsWith('url ')) facts.urlOrigin = part.slice('url '.length)
    else if (part.startsWith('key ')) facts.key = part.slice('key '.length)
    else if (part.startsWith('request id ')) facts.requestId = part.slice('request id '.length)
    else return { what: reason, ...none }
  }
  return { what: reason.slice(0, start), ...facts }
}

import type { Pieces } from '../gateway/repair/pieces.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { StatusCounts } from './count-impact.ts'
import type { WindowEnd } from './impact-window.ts'
import type { RestorePlaceholder, RestoreRow } from './restore-row.ts'

/** What a drift cost one endpoint. */
export interface ImpactRow {
  readonly project: ProjectRef['name']
  /** `source`: of one, the history knows no endpoint. */
  readonly kind: 'endpoint' | 'source'
  readonly uid: string
  readonly name: string
  readonly from: WindowEnd
  readonly to: WindowEnd
  readonly deliveries: StatusCounts
  readonly undelivered: number | null
  /** Requests to send before the others. */
  readonly first: readonly RestoreRow[]
  readonly retry: (PrintedRequest & { readonly count: number }) | null
  readonly replay:
    | (PrintedRequest & {
        readonly count: number
        readonly events: readonly string[]
        readonly alsoReaches: readonly string[]
      })
    | null
  /** Sentences. */
  readonly reasons: readonly string[]
}

/** A request that is printed, and not sent. */
export interface PrintedRequest {
  readonly method: 'POST' | 'PUT'
  readonly url: Pieces
  readonly headers: Readonly<Record<string, Pieces>>
  readonly placeholders: readonly RestorePlaceholder[]
}

/** How many deliveries did not arrive, and events got none. null: not known. */
export function lossOf({ deliveries, undelivered }: Pick<ImpactRow, 'deliveries' | 'undelivered'>) {
  const { Failure: failed, Discarded: discarded } = deliveries
  // What is known of one of the two is said, and that the other one is not.
  const known = failed === null && discarded === null ? null : (failed ?? 0) + (discarded ?? 0)
  return { failed: known, undelivered, isWhole: isKnown({ deliveries, undelivered }) }
}

/** Whether all of it could be counted. */
export function isKnown({ deliveries, undelivered }: Pick<ImpactRow, 'deliveries' | 'undelivered'>): boolean {
  return undelivered !== null && Object.values(deliveries).every((number) => number !== null)
}

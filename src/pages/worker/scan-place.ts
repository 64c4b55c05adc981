import type { StatusRow } from '../../questions/status.ts'
import { noSuchPlace } from '../list-page.ts'
import type { SiteQuery } from '../page.ts'
import { readChoice } from '../query.ts'

/** The scans are in this order, then in that of the names of their projects. */
export const scanStates = ['stale', 'incomplete', 'current'] as const
type ScanState = (typeof scanStates)[number]

export function stateOf({ stale, complete }: StatusRow): ScanState {
  return stale ? 'stale' : complete ? 'current' : 'incomplete'
}

/** The parameters that name the scan after which a page begins: it may be another, or gone, when the page is asked for. */
export const scanPlace = ['after-state', 'after'] as const

interface ScanPlace {
  readonly state: ScanState
  readonly project: string
}

/** @throws AuditError.usage when only a part of a place is named */
export function readPlace(query: SiteQuery): ScanPlace | undefined {
  const [state, project] = [readChoice(query, 'after-state', scanStates), query.one('after')]
  if (state === undefined && project === undefined) return undefined
  if (state === undefined || project === undefined) throw noSuchPlace(...scanPlace)
  return { state, project }
}

export function isAfter(row: StatusRow, { state, project }: ScanPlace): boolean {
  const [own, other] = [scanStates.indexOf(stateOf(row)), scanStates.indexOf(state)]
  return own === other ? row.project > project : own > other
}

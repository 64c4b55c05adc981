import { changeSubscription, type EditedResource, presentOf } from './edits.ts'
import { filterRowsOf } from './filter-rows.ts'
import type { SimulatedFleet } from './fleet.ts'
import type { EventFilterRow } from './rows.ts'
import { ulid } from './ulid.ts'

/** Edits of filter rows. None leaves a trace in the list of subscriptions, not even in `updated_at`. */

/** Adds a row without conditions, unless some are given. */
export function createFilter(
  fleet: SimulatedFleet,
  subscription: EditedResource,
  given: Partial<EventFilterRow> & Pick<EventFilterRow, 'event_type'>,
): EventFilterRow {
  const { timeMs, at, random } = presentOf(fleet)
  const row = { uid: ulid(timeMs, random), headers: {}, body: {}, query: {}, path: {}, enabled_at: at, ...given }
  changeFilters(fleet, subscription, (rows) => [row, ...rows])
  return row
}

export function updateFilter(
  fleet: SimulatedFleet,
  subscription: EditedResource,
  uid: string,
  update: Partial<EventFilterRow>,
): void {
  changeFilters(fleet, subscription, (rows) => rows.map((row) => (row.uid === uid ? { ...row, ...update } : row)))
}

export function deleteFilter(fleet: SimulatedFleet, subscription: EditedResource, uid: string): void {
  changeFilters(fleet, subscription, (rows) => rows.filter((row) => row.uid !== uid))
}

function changeFilters(
  fleet: SimulatedFleet,
  subscription: EditedResource,
  change: (rows: readonly EventFilterRow[]) => readonly EventFilterRow[],
): void {
  changeSubscription(fleet, subscription, (row) => ({ ...row, filters: change(filterRowsOf(row)) }))
}

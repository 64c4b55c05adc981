import type { FilterReadings } from '../inventory/take-inventory.ts'
import type { RawPage } from '../model/raw-page.ts'

export interface TakenPage extends Pick<RawPage, 'number' | 'items'> {
  /** Of subscriptions whose filter rows were due. */
  readonly filters?: FilterReadings
}

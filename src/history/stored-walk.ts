import type { Coverage } from '../model/coverage.ts'

/** A walk as its row holds it. */
export interface StoredWalk extends Omit<Coverage, 'of' | 'oldestAt'> {
  readonly of: number | null
  readonly oldestAt: string | null
}

/** Only filters have a total. */
export function toCoverage<Walk extends StoredWalk>({ of, oldestAt, ...walk }: Walk) {
  return of === null ? walk : { ...walk, of, oldestAt }
}

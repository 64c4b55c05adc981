import type { SqlValue } from '../connect.ts'

/** What makes a draft its owner's: every statement that writes rows checks it in the same statement. */
export interface Fence {
  /** Selects one row as long as the draft may write. `at`: the number of the first parameter. */
  sql(at: number): string
  readonly values: readonly SqlValue[]
}

/** Of a run that owns the lease. */
export function leaseFence(token: number): Fence {
  return { sql: (at) => `SELECT 1 FROM hookdrift.lease WHERE token = $${at}`, values: [token] }
}

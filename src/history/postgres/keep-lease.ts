import { heartbeatMs } from '../lease-owner.ts'
import type { PostgresDatabase } from './connect.ts'
import { nowSql, type SharedProcess } from './lease.ts'

/** Renews the lease until the returned function is called. */
export function keepLease(db: PostgresDatabase, owner: SharedProcess, token: number): () => void {
  let isRenewing = false
  return owner.every(heartbeatMs, async () => {
    if (isRenewing) return
    isRenewing = true
    try {
      await db.run(`UPDATE hookdrift.lease SET heartbeat_at = ${nowSql(owner)} WHERE token = $1`, [token])
    } catch {
      // The server is away or full. The next heartbeat or the commit reports it.
    } finally {
      isRenewing = false
    }
  })
}

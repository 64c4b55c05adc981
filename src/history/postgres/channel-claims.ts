import type { ChannelClaims } from '../outbox.ts'
import type { PostgresDatabase } from './connect.ts'
import { isLive, type LeaseRow, leaseColumns, nowSql, type SharedProcess } from './lease.ts'

export function postgresClaims(db: PostgresDatabase, owner: SharedProcess): ChannelClaims {
  return {
    claim: (channel) =>
      db.transaction(async (transaction) => {
        const claimed = await transaction.get<LeaseRow>(
          `SELECT ${leaseColumns(owner)} FROM hookdrift.channel WHERE name = $1 FOR UPDATE`,
          [channel],
        )
        if (claimed === undefined || isLive(claimed, owner)) return undefined
        const now = nowSql(owner)
        return transaction.value<number>(
          `UPDATE hookdrift.channel SET token = token + 1, host = $2, boot_id = $3, pid = $4, taken_at = ${now},
             heartbeat_at = ${now} WHERE name = $1 RETURNING token`,
          [channel, owner.host, owner.bootId, owner.pid],
        )
      }),
    async renew(channel, token) {
      const sql = `UPDATE hookdrift.channel SET heartbeat_at = ${nowSql(owner)} WHERE name = $1 AND token = $2`
      return (await db.run(sql, [channel, token])) === 1
    },
    async release(channel, token) {
      const sql = "UPDATE hookdrift.channel SET heartbeat_at = 'epoch' WHERE name = $1 AND token = $2"
      await db.run(sql, [channel, token])
    },
  }
}

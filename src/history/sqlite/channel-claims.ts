import type { ChannelClaims } from '../outbox.ts'
import { type FileLease, isLeaseLive, type LocalProcess } from './lease.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export function sqliteClaims(database: SqliteDatabase, owner: LocalProcess): ChannelClaims {
  const now = () => new Date(owner.now()).toISOString()
  return {
    claim: (channel) =>
      database.transaction(async (transaction) => {
        const claimed = await transaction.get<FileLease>(
          `SELECT host, boot_id AS "bootId", pid, taken_at AS "takenAt", heartbeat_at AS "heartbeatAt"
           FROM channel WHERE name = $1`,
          [channel],
        )
        if (claimed === undefined || isLeaseLive(claimed, owner)) return undefined
        return transaction.value<number>(
          `UPDATE channel SET token = token + 1, host = $2, boot_id = $3, pid = $4, taken_at = $5, heartbeat_at = $5
           WHERE name = $1 RETURNING token`,
          [channel, owner.host, owner.bootId, owner.pid, now()],
        )
      }),
    async renew(channel, token) {
      const sql = 'UPDATE channel SET heartbeat_at = $3 WHERE name = $1 AND token = $2'
      return (await database.run(sql, [channel, token, now()])) === 1
    },
    async release(channel, token) {
      const sql = "UPDATE channel SET heartbeat_at = '1970-01-01T00:00:00.000Z' WHERE name = $1 AND token = $2"
      await database.run(sql, [channel, token])
    },
  }
}

import type { Session } from '../sql/session.ts'

/** Tables whose ids a draft gives out. */
export type IdTable = 'project' | 'version' | 'change' | 'violation'

/** Gives out ids that no other row has. */
export interface DraftIds {
  /** The first of so many ids in a row. */
  take(table: IdTable, count: number): number | Promise<number>
  /** Called after the draft deleted rows of its own. */
  afterDeletion?(session: Session): Promise<void>
}

/** How many ids a process takes at least: most projects need fewer. */
const blockSize = 100

/** Of one of several processes that add rows to a run: each takes blocks of ids, and leaves gaps. */
export function blockIds(session: Session): DraftIds {
  const blocks = new Map<IdTable, { next: number; end: number }>()
  return {
    async take(table, count) {
      const block = blocks.get(table)
      if (block !== undefined && block.end - block.next >= count) {
        block.next += count
        return block.next - count
      }
      const size = Math.max(count, blockSize)
      const next = await session.value<number>(
        'UPDATE hookdrift.id_block SET next = next + $2 WHERE name = $1 RETURNING next - $2',
        [table, size],
      )
      if (next === undefined) throw new Error(`ids of ${table} were not planned`)
      // Another call may have taken a block meanwhile: what is left of the older one stays a gap.
      blocks.set(table, { next: next + count, end: next + size })
      return next
    },
  }
}

/** Lets processes take blocks of ids after those that are there. Within a transaction that owns the lease. */
export async function beginBlocks(session: Session): Promise<void> {
  const tables: readonly IdTable[] = ['project', 'version', 'change', 'violation']
  for (const table of tables) {
    await session.run(
      `INSERT INTO hookdrift.id_block (name, next) SELECT $1, coalesce(max(id), 0) + 1 FROM hookdrift.${table}
       ON CONFLICT (name) DO UPDATE SET next = excluded.next`,
      [table],
    )
  }
}

type Last = Record<IdTable, number>

/** Of the process that owns the lease, while no other one adds rows. */
export async function followingIds(session: Session): Promise<DraftIds> {
  const last = { ...(await readLast(session)) }
  return {
    take(table, count) {
      const first = last[table] + 1
      last[table] += count
      return first
    },
    async afterDeletion(session) {
      // The caller knows the ids of versions: they are not given out again.
      const { change, violation } = await readLast(session)
      Object.assign(last, { change, violation })
    },
  }
}

async function readLast(session: Session): Promise<Last> {
  const max = (table: IdTable) => `(SELECT coalesce(max(id), 0) FROM hookdrift.${table}) AS ${table}`
  const none: Last = { project: 0, version: 0, change: 0, violation: 0 }
  return (
    (await session.get<Last>(`SELECT ${max('project')}, ${max('version')}, ${max('change')}, ${max('violation')}`)) ??
    none
  )
}

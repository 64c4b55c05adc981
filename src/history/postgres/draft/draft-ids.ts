import type { Session } from '../connect.ts'

/** Tables whose ids a draft gives out. */
export type IdTable = 'project' | 'version' | 'change' | 'violation'

/** Gives out ids that no other row has. */
export interface DraftIds {
  /** The first of so many ids in a row. */
  take(table: IdTable, count: number): number | Promise<number>
  /** Called after the draft deleted rows of its own. */
  afterDeletion?(session: Session): Promise<void>
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
      // Ids of versions were told to the run: they are not given out again.
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

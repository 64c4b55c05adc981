import type { Session } from '../connect.ts'

/** Interrupted runs belong to the committed run after them, and go with it. */
export async function interruptedBefore(session: Session, gone: readonly number[]): Promise<number[]> {
  const runs = await session.all<{ number: number }>(
    `SELECT i.number FROM hookdrift.run i WHERE i.state = 'interrupted' AND (SELECT min(r.number) FROM hookdrift.run r
       WHERE r.number > i.number AND r.state IN ('committed', 'pruned')) = ANY($1::bigint[])`,
    [gone],
  )
  return runs.map(({ number }) => number)
}

export interface RunsToRemove {
  readonly gone: readonly number[]
  /** Those that go with them. */
  readonly interrupted: readonly number[]
  /** The committed runs that stay. */
  readonly kept: readonly number[]
}

/** Removes runs, and rows that no kept run needs. Returns how many bytes the removed rows took. */
export async function removeRuns(session: Session, { gone, interrupted, kept }: RunsToRemove): Promise<number> {
  let bytes = 0
  const remove = async (table: string, where: string) => {
    const removed = await session.value<number>(
      `WITH removed AS (DELETE FROM hookdrift.${table} t WHERE ${where} RETURNING pg_column_size(t) AS bytes)
       SELECT coalesce(sum(bytes), 0)::bigint FROM removed`,
    )
    bytes += removed ?? 0
  }
  await session.run('DELETE FROM hookdrift.run WHERE number = ANY($1::bigint[])', [interrupted])
  await session.run(
    `UPDATE hookdrift.run SET state = 'pruned', previous = NULL, part_digests = NULL, chain = NULL,
       rules_document = NULL, projects_document = NULL WHERE number = ANY($1::bigint[])`,
    [gone],
  )
  await noteKept(session, kept)
  for (const table of ['change', 'notice']) await remove(table, `t.run IN ${pruned}`)
  for (const table of ['withheld_removal', 'walk', 'scan']) {
    await remove(
      table,
      `t.run IN ${pruned} AND NOT EXISTS (SELECT 1 FROM pg_temp.kept_scan k
         WHERE k.project_id = t.project_id AND k.run = t.run)`,
    )
  }
  for (const table of ['version', 'violation']) {
    // Ids order rows by age, so the greatest one must never be reused.
    await remove(table, `${isOutlived} AND t.id < (SELECT max(id) FROM hookdrift.${table})`)
  }
  await remove('unreferenced', isOutlived)
  await remove('run', `t.state = 'pruned' AND ${await isUnused(session, 'run', 't.number')}`)
  await remove('document', await isUnused(session, 'document', 't.sha256'))
  return bytes
}

const pruned = "(SELECT number FROM hookdrift.run WHERE state = 'pruned')"

/** Neither valid in a kept run nor ended by one: a run reports what it ended. */
const isOutlived =
  't.to_run IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pg_temp.kept_run k WHERE k.run BETWEEN t.from_run AND t.to_run)'

/**
 * Notes the kept runs, and scans of pruned runs that queries about a kept run still read: the last scan and the last
 * complete walks by then, the scan before a run that resolved a violation, and the last walks with a shape and a status.
 */
async function noteKept(session: Session, kept: readonly number[]): Promise<void> {
  const key = 'PRIMARY KEY (project_id, run)'
  await session.run('CREATE TEMP TABLE kept_run (run bigint PRIMARY KEY) ON COMMIT DROP')
  await session.run(`CREATE TEMP TABLE kept_scan (project_id bigint, run bigint, ${key}) ON COMMIT DROP`)
  await session.run('INSERT INTO pg_temp.kept_run SELECT unnest($1::bigint[])', [kept])
  await session.run('ANALYZE pg_temp.kept_run')
  await session.run(`INSERT INTO pg_temp.kept_scan ${keptScans}`)
  await session.run('ANALYZE pg_temp.kept_scan')
}

const keptScans = `
  SELECT p.id, l.run FROM pg_temp.kept_run k CROSS JOIN hookdrift.project p
    CROSS JOIN LATERAL (SELECT max(s.run) AS run FROM hookdrift.scan s WHERE s.project_id = p.id AND s.run <= k.run) l
    WHERE l.run IS NOT NULL
  UNION SELECT f.project_id, l.run FROM pg_temp.kept_run k CROSS JOIN hookdrift.first_complete_walk f
    CROSS JOIN LATERAL (SELECT s.run FROM hookdrift.scan s
      JOIN hookdrift.walk w ON w.run = s.run AND w.project_id = s.project_id AND w.listing = f.listing
      WHERE s.project_id = f.project_id AND w.status = 'complete' AND s.run <= k.run ORDER BY s.run DESC LIMIT 1) l
  UNION SELECT x.project_id, l.run FROM (SELECT DISTINCT v.project_id, v.to_run FROM pg_temp.kept_run k
      JOIN hookdrift.violation v ON v.to_run = k.run WHERE v.last_run IS NULL) x
    CROSS JOIN LATERAL (SELECT max(s.run) AS run FROM hookdrift.scan s
      WHERE s.project_id = x.project_id AND s.run < x.to_run) l
    WHERE l.run IS NOT NULL
  UNION SELECT project_id, max(run) FROM hookdrift.walk WHERE shape IS NOT NULL GROUP BY project_id, listing
  UNION SELECT project_id, max(run) FROM hookdrift.walk GROUP BY project_id, listing`

/** SQL: no row refers to a value of a table's key. */
async function isUnused(session: Session, table: string, key: string): Promise<string> {
  const references = await session.all<{ table: string; column: string }>(
    `SELECT t.relname::text AS "table", a.attname::text AS "column" FROM pg_constraint c
     JOIN pg_class t ON t.oid = c.conrelid JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey)
     WHERE c.contype = 'f' AND c.confrelid = to_regclass('hookdrift.${table}') ORDER BY 1, 2`,
  )
  return [
    'true',
    ...references.map(
      ({ table, column }) => `NOT EXISTS (SELECT 1 FROM hookdrift.${table} u WHERE u.${column} = ${key})`,
    ),
  ].join(' AND ')
}

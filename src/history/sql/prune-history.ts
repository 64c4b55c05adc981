import { AuditError } from '../../model/errors.ts'
import { type BrokenLink, findBrokenLink, makeCheckpoint, rangesOf } from '../chain/links.ts'
import { closeKilledRuns } from '../draft/unfinished-runs.ts'
import { keepsSomething, type RetentionRules, reasonsToKeep } from '../retention.ts'
import { parseFacts, parseStored } from '../stored-body.ts'
import type { PlannedRun, PruneRequest } from '../upkeep.ts'
import type { HistoryBackend } from './backend.ts'
import { isFollowedSql, validAtSql } from './fragments.ts'
import { committedRuns } from './runs.ts'
import { incompleteSinceSql, lastCompleteScanSql, latestScansAt } from './scans.ts'
import { type Session, sqlOf, type Transaction } from './session.ts'
import { ownerOfChange } from './violations.ts'

interface PruneResult {
  /** Every committed run, with the reasons to keep it. */
  readonly plan: readonly PlannedRun[]
  readonly gone: readonly number[]
  /** What the removed rows took, where the backend says so. */
  readonly bytes: number
}

/**
 * Removes the runs without a reason to keep them, all or none. Rows that a kept run needs stay, so its report does not
 * change. Writes a checkpoint, so that the chain still verifies. Returns no space to the file system.
 * @throws AuditError.usage when no retention option is given
 * @throws AuditError.failure when the history does not verify
 * @throws AuditError.busy when another run owns the lease
 */
export async function pruneHistory(backend: HistoryBackend, order: PruneRequest): Promise<PruneResult> {
  refuseToKeepNothing(order.keep)
  return backend.commitSurely<PruneResult>({
    work: (transaction) => prune(transaction, backend, order),
    subject: ({ gone }) => `the pruning of ${gone.length} runs`,
    advice: 'check which runs `hookdrift runs` lists once the server is up',
    async isRecorded(transaction, { gone }) {
      await backend.lease.lock(transaction)
      const keptRunSql = "SELECT 1 FROM hookdrift.run WHERE state = 'committed' AND number = ANY($1)"
      return (await transaction.get(keptRunSql, [gone])) === undefined
    },
  })
}

async function prune(
  transaction: Transaction,
  { db, lease, now }: HistoryBackend,
  { keep, options, toolVersion }: PruneRequest,
): Promise<PruneResult> {
  // A run that waits for another coordinator has no owner, and is not killed.
  await lease.requireFree(transaction)
  const token = await lease.take(transaction)
  const madeAt = new Date(now()).toISOString()
  await closeKilledRuns(transaction, madeAt)
  const plan = await planPruning(transaction, keep)
  const gone = plan.filter(({ reasons }) => reasons.length === 0).map(({ number }) => number)
  let bytes = 0
  if (gone.length > 0) {
    // The checkpoint covers the remaining rows anew, so they must not be altered.
    refuseBroken(db.displayName, await findBrokenLink(transaction))
    const interrupted = await interruptedBefore(transaction, gone)
    const keptRuns = plan.filter(({ reasons }) => reasons.length > 0).map(({ number }) => number)
    bytes = await removeRuns(transaction, { gone, interrupted, keptRuns })
    const runs = rangesOf([...gone, ...interrupted].sort((a, b) => a - b))
    await makeCheckpoint(transaction, { madeAt, toolVersion, options, runs })
  }
  await lease.release(transaction, token)
  return { plan, gone, bytes }
}

/** The chain's digest as of a run; undefined when there is no such run. */
export async function chainOf(session: Session, run: number): Promise<string | undefined> {
  return session.value<string>("SELECT chain FROM hookdrift.run WHERE number = $1 AND state = 'committed'", [run])
}

/** Every committed run, oldest first, with the reasons to keep it: the retention rules and the history's own needs. */
export async function planPruning(session: Session, keep: RetentionRules): Promise<PlannedRun[]> {
  const runs = await committedRuns(session)
  const byRules = reasonsToKeep(runs, keep)
  const needs = await needsOf(session, runs.at(-1)?.number ?? 0)
  return runs.map((run) => {
    const needed = needs.filter(([, numbers]) => numbers.has(run.number)).map(([reason]) => reason)
    return { ...run, reasons: [...(byRules.get(run.number) ?? []), ...needed] }
  })
}

/** @throws AuditError.usage */
export function refuseToKeepNothing(keep: RetentionRules): void {
  if (keepsSomething(keep)) return
  throw AuditError.usage('no --keep-* option keeps a run', {
    advice: 'name the runs to keep, as in --keep-daily 30 --keep-monthly 24; --dry-run shows what would go',
  })
}

/** A worker that audits every minute does not prune every minute. */
const pauseMs = 20 * 3_600_000

/** `last`: when the history was pruned last (ISO 8601); null: never. After a clock that was ahead, it lies in the future. */
export function isPruningDue(last: string | null, now: number): boolean {
  return last === null || Math.abs(now - Date.parse(last)) >= pauseMs
}

/** Runs that are always kept: for the comparison of the next run, approvals, and messages. */
async function needsOf(
  session: Session,
  latest: number,
): Promise<[reason: string, runs: ReadonlySet<number | null>][]> {
  const numbers = async (sql: string) => new Set(await session.column<number | null>(sql))
  const scans = await latestScansAt(session, latest)
  return [
    ['current state', new Set([latest])],
    ['last complete walk', await numbers(lastCompleteSql)],
    ['last scan of a project', await numbers('SELECT max(run) AS run FROM hookdrift.scan GROUP BY project_id')],
    [
      'first incomplete scan of a project',
      new Set(scans.map(({ incompleteSince }) => incompleteSince?.number ?? null)),
    ],
    ['approved baseline', await findApprovedRuns(session)],
    [
      'a message about it waits',
      await numbers("SELECT DISTINCT run FROM hookdrift.notification WHERE state = 'pending' AND run IS NOT NULL"),
    ],
    ['the next message compares with it', await numbers(lastNotifiedSql)],
  ]
}

/** SQL of violations that a person accepted: the acceptance may be revoked, and reports say what it is of. */
const isAccepted =
  "(resolution IS NOT DISTINCT FROM 'accepted' AND fingerprint IN (SELECT fingerprint FROM hookdrift.acceptance))"

/** The last complete walks of each listing, and of the subscriptions in a run that did not list sources. */
const lastCompleteSql = `
  SELECT max(run) AS run FROM hookdrift.walk WHERE status = 'complete' GROUP BY project_id, listing
  UNION SELECT (SELECT s.run FROM hookdrift.scan s CROSS JOIN hookdrift.walk w
    WHERE s.project_id = p.id AND w.run = s.run AND w.project_id = s.project_id AND w.listing = 'subscriptions'
      AND w.status = 'complete' AND NOT EXISTS (SELECT 1 FROM hookdrift.walk o WHERE o.run = s.run
        AND o.project_id = s.project_id AND o.listing = 'sources' AND o.status <> 'skipped')
    ORDER BY s.run DESC LIMIT 1) AS run FROM hookdrift.project p`

/** The last scans that messages were about, where later ones wait for the next message. */
const lastNotifiedSql = `
  SELECT DISTINCT (SELECT max(s.run) FROM hookdrift.scan s WHERE s.project_id = u.project_id AND s.run < u.since) AS run
  FROM (SELECT project_id, min(run) AS since FROM hookdrift.unnotified_scan GROUP BY project_id) u`

/**
 * The runs whose states are approved, as a whole or of single resources. The last approval of a project is the active one,
 * confirmations aside. Not read from the view `baseline`, which may be altered.
 */
async function findApprovedRuns(session: Session): Promise<ReadonlySet<number | null>> {
  const approvals = await session.all<{ readonly run: number | null; readonly amendments: string | null }>(
    `SELECT a.run, a.amendments FROM hookdrift.approval a WHERE a.revoked_at IS NULL
       AND a.id = (SELECT max(b.id) FROM hookdrift.approval b WHERE b.project_id = a.project_id AND b.confirms IS NULL)`,
  )
  const amended = approvals.flatMap(({ amendments }) => parseStored<{ readonly run: number }[]>(amendments ?? '[]'))
  return new Set([...approvals, ...amended].map(({ run }) => run))
}

/** Interrupted runs belong to the committed run after them, and go with it. */
function interruptedBefore(session: Session, gone: readonly number[]): Promise<number[]> {
  return session.column(
    `SELECT i.number FROM hookdrift.run i WHERE i.state = 'interrupted' AND (SELECT min(r.number) FROM hookdrift.run r
       WHERE r.number > i.number AND r.state IN ('committed', 'pruned')) = ANY($1)`,
    [gone],
  )
}

interface RunsToRemove {
  readonly gone: readonly number[]
  /** Those that go with them. */
  readonly interrupted: readonly number[]
  /** The committed runs that stay. */
  readonly keptRuns: readonly number[]
}

/**
 * Removes runs, and rows that no kept run needs. Returns how many bytes the removed rows took, where the backend says so:
 * a file is measured afterwards.
 */
async function removeRuns(session: Session, { gone, interrupted, keptRuns }: RunsToRemove): Promise<number> {
  let bytes = 0
  const remove = async (table: string, where: string) => {
    const removal = `DELETE FROM hookdrift.${table} AS t WHERE ${where}`
    if (session.dialect === 'sqlite') await session.run(removal)
    else {
      const removed = await session.value<number>(
        `WITH removed AS (${removal} RETURNING pg_column_size(t) AS bytes)
         SELECT coalesce(sum(bytes), 0)::bigint FROM removed`,
      )
      bytes += removed ?? 0
    }
  }
  await session.run('DELETE FROM hookdrift.run WHERE number = ANY($1)', [interrupted])
  await session.run(`UPDATE hookdrift.change AS x SET owner = ${ownerOfChange} WHERE x.run = ANY($1)`, [gone])
  await session.run(
    `UPDATE hookdrift.run SET state = 'pruned', previous = NULL, part_digests = NULL, chain = NULL,
       rules_document = NULL WHERE number = ANY($1)`,
    [gone],
  )
  await session.run('UPDATE hookdrift.scan SET evaluation = NULL WHERE run = ANY($1)', [gone])
  await noteKept(session, keptRuns)
  await remove('notice', `t.run IN ${pruned}`)
  await remove('change', `t.run IN ${pruned} AND NOT ${isListed}`)
  for (const table of ['withheld_removal', 'walk', 'scan']) {
    await remove(
      table,
      `t.run IN ${pruned} AND NOT EXISTS (SELECT 1 FROM kept_scan k WHERE k.project_id = t.project_id AND k.run = t.run)`,
    )
  }
  for (const table of ['version', 'violation']) {
    const isNeeded =
      table === 'version' ? `(${isOfPaused} OR ${isNamed})` : `(${isAccepted} OR ${isOfRepair} OR ${isOpening})`
    // Ids order rows by age, so the greatest one must never be reused.
    await remove(table, `${isOutlived} AND NOT ${isNeeded} AND t.id < (SELECT max(id) FROM hookdrift.${table})`)
  }
  await remove('unreferenced', isOutlived)
  await remove(
    'run',
    `t.state = 'pruned' AND t.number < ${oldestOrigin} AND ${await isUnused(session, 'run', 't.number')}`,
  )
  await remove('evaluation', 't.id NOT IN (SELECT evaluation FROM hookdrift.scan WHERE evaluation IS NOT NULL)')
  await remove('document', await isUnused(session, 'document', 't.sha256'))
  for (const table of ['kept_run', 'kept_scan', 'named_version']) await session.run(`DROP TABLE ${table}`)
  return bytes
}

const pruned = "(SELECT number FROM hookdrift.run WHERE state = 'pruned')"

/** Neither valid in a kept run nor ended by one: a run reports what it ended. */
const isOutlived =
  't.to_run IS NOT NULL AND NOT EXISTS (SELECT 1 FROM kept_run k WHERE k.run BETWEEN t.from_run AND t.to_run)'

/** A violation `v` is active, accepted, or valid in a kept run. */
const isShown = `(${isFollowedSql('v')} OR EXISTS (SELECT 1 FROM kept_run k
  WHERE k.run >= v.from_run AND k.run < v.to_run))`

/** Changes of the run that opened such a violation are its cause; those of its resource since its origin stay listed. */
const isListed = `(t.run IN (SELECT v.first_run FROM hookdrift.violation v WHERE ${isShown})
  OR EXISTS (SELECT 1 FROM hookdrift.violation v WHERE v.project_id = t.project_id AND v.kind = t.kind AND v.uid = t.uid
    AND coalesce(v.origin_run, v.first_run) < t.run AND ${isShown}))`

/** Runs since then stay listed: the oldest origin of open and accepted drift, or the run that opened it. */
const oldestOrigin = `(SELECT coalesce(min(coalesce(v.origin_run, v.first_run)), 9007199254740991)
  FROM hookdrift.violation v WHERE v.rule LIKE 'drift/%' AND ${isFollowedSql('v')})`

/** A change that put something right is not a cause. */
const isOfRepair = `(t.resolution IS NOT DISTINCT FROM 'fixed' AND EXISTS (SELECT 1 FROM hookdrift.change c
  WHERE c.project_id = t.project_id AND c.kind = t.kind AND c.uid = t.uid AND c.run = t.to_run))`

/** What opened an active violation. */
const isOpening = `(t.from_run = t.first_run AND EXISTS (SELECT 1 FROM hookdrift.violation v WHERE
  v.fingerprint = t.fingerprint AND v.project_id = t.project_id AND v.first_run = t.first_run AND v.to_run IS NULL))`

const isNamed = 'EXISTS (SELECT 1 FROM named_version n WHERE n.id = t.id)'

/** Since when an endpoint is paused follows from its versions one after the other, and from nothing else. */
const isPaused = (version: string) => `${version}.kind = 'endpoint' AND ${version}.body LIKE '%"status":"paused"%'`
const isOfPaused = `(${isPaused('t')} AND EXISTS (SELECT 1 FROM hookdrift.version c WHERE c.project_id = t.project_id
  AND c.kind = t.kind AND c.uid = t.uid AND c.to_run IS NULL AND ${isPaused('c')}))`

/**
 * Notes the kept runs; versions that something names; and scans of pruned runs that queries about a kept run still read:
 * the last scan and the last complete walks by then, the last complete scan and the one after it, the scan before a run
 * that resolved a violation, and the last walks with a shape and a status.
 * Both databases find a temporary table before one of the history.
 */
async function noteKept(session: Session, keptRuns: readonly number[]): Promise<void> {
  const fill = async (table: string, columns: string, rows: string, values?: readonly (readonly number[])[]) => {
    await session.run(`CREATE TEMP TABLE ${table} (${columns})`)
    await session.run(`INSERT INTO ${table} ${rows}`, values)
    if (session.dialect === 'postgres') await session.run(`ANALYZE ${table}`)
  }
  const given = 'SELECT unnest($1::bigint[])'
  await fill('kept_run', 'run bigint PRIMARY KEY', given, [keptRuns])
  await fill('named_version', 'id bigint PRIMARY KEY', given, [await findNamedVersions(session)])
  await fill('kept_scan', 'project_id bigint, run bigint, PRIMARY KEY (project_id, run)', keptScans)
}

/** Versions that violations and unknown values name: see `namedSql`; and before each unknown value, the last known one. */
async function findNamedVersions(session: Session): Promise<readonly number[]> {
  const named = new Set<number>()
  let found = await session.all<{ readonly id: number; readonly facts: string }>(namedSql)
  while (found.length > 0) {
    for (const { id } of found) named.add(id)
    const points = found.flatMap(({ id, facts }) =>
      Object.values(parseFacts(facts).doubts ?? {}).map(({ run }) => ({ id, before: run - 1 })),
    )
    found = []
    for (const [run, doubtful] of Map.groupBy(points, ({ before }) => before)) {
      const known = await session.all<(typeof found)[number]>(
        `SELECT b.id, b.facts FROM hookdrift.version t CROSS JOIN hookdrift.version b WHERE t.id = ANY($1)
           AND b.project_id = t.project_id AND b.kind = t.kind AND b.uid = t.uid AND ${validAtSql('b', '$2')}`,
        [doubtful.map(({ id }) => id), run],
      )
      found.push(...known.filter(({ id }) => !named.has(id)))
    }
  }
  return [...named]
}

/**
 * What active and accepted violations were at their origin, the state that found those last which the last scan did not
 * see, and values that are unknown now or were in the last complete walk.
 */
const namedSql = `
  SELECT t.id, t.facts FROM hookdrift.violation v CROSS JOIN hookdrift.version t WHERE v.origin_run IS NOT NULL
    AND ${isFollowedSql('v')} AND t.project_id = v.project_id AND t.kind = v.kind AND t.uid = v.uid
    AND ${validAtSql('t', 'v.origin_run')}
  UNION SELECT t.id, t.facts FROM (SELECT DISTINCT project_id, last_run AS run FROM hookdrift.violation
      WHERE to_run IS NULL AND last_run IS NOT NULL) l CROSS JOIN hookdrift.version t
    WHERE t.project_id = l.project_id AND ${validAtSql('t', 'l.run')}
  UNION SELECT t.id, t.facts FROM hookdrift.version t WHERE t.facts LIKE '%"doubts":{%'
    AND (t.to_run IS NULL OR EXISTS (SELECT 1 FROM (${lastCompleteSql}) l WHERE ${validAtSql('t', 'l.run')}))`

const keptScans = `
  SELECT project_id, run FROM (SELECT p.id AS project_id, (SELECT max(s.run) FROM hookdrift.scan s
      WHERE s.project_id = p.id AND s.run <= k.run) AS run
    FROM kept_run k CROSS JOIN hookdrift.project p) l WHERE run IS NOT NULL
  UNION SELECT project_id, run FROM (SELECT p.id AS project_id, ${lastCompleteScanSql('p.id', 'k.run')} AS run
    FROM kept_run k CROSS JOIN hookdrift.project p) l WHERE run IS NOT NULL
  UNION SELECT project_id, run FROM (SELECT p.id AS project_id, ${incompleteSinceSql('p.id', 'k.run')} AS run
    FROM kept_run k CROSS JOIN hookdrift.project p) l WHERE run IS NOT NULL
  UNION SELECT project_id, run FROM (SELECT f.project_id, (SELECT s.run
      FROM hookdrift.scan s CROSS JOIN hookdrift.walk w
      WHERE s.project_id = f.project_id AND s.run <= k.run AND w.run = s.run AND w.project_id = s.project_id
        AND w.listing = f.listing AND w.status = 'complete' ORDER BY s.run DESC LIMIT 1) AS run
    FROM kept_run k CROSS JOIN hookdrift.first_complete_walk f) l WHERE run IS NOT NULL
  UNION SELECT project_id, run FROM (SELECT x.project_id, (SELECT max(s.run) FROM hookdrift.scan s
      WHERE s.project_id = x.project_id AND s.run < x.to_run) AS run
    FROM (SELECT DISTINCT v.project_id, v.to_run FROM kept_run k CROSS JOIN hookdrift.violation v
      WHERE v.to_run = k.run AND v.last_run IS NULL) x) l WHERE run IS NOT NULL
  UNION SELECT project_id, max(run) FROM hookdrift.walk WHERE shape IS NOT NULL GROUP BY project_id, listing
  UNION SELECT project_id, max(run) FROM hookdrift.walk GROUP BY project_id, listing`

/** SQL: no row refers to a value of a table's key. */
async function isUnused(session: Session, table: string, key: string): Promise<string> {
  const references = await session.all<{ readonly table: string; readonly column: string }>(
    sqlOf(session, {
      sqlite: `SELECT s.name AS "table", f."from" AS "column" FROM sqlite_schema s JOIN pragma_foreign_key_list(s.name) f
        WHERE s.type = 'table' AND f."table" = '${table}'`,
      postgres: `SELECT t.relname::text AS "table", a.attname::text AS "column" FROM pg_constraint c
        JOIN pg_class t ON t.oid = c.conrelid JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey)
        WHERE c.contype = 'f' AND c.confrelid = to_regclass('hookdrift.${table}') ORDER BY 1, 2`,
    }),
  )
  const unused = references.map(
    ({ table, column }) => `NOT EXISTS (SELECT 1 FROM hookdrift.${table} u WHERE u.${column} = ${key})`,
  )
  return ['true', ...unused].join(' AND ')
}

/** @throws AuditError.failure when a link is broken: a checkpoint would vouch anew for altered rows */
function refuseBroken(displayName: string, broken: BrokenLink | undefined): void {
  if (broken === undefined) return
  throw AuditError.failure(`nothing was pruned: the history ${displayName} does not verify: ${broken.text}`, {
    advice: 'run `hookdrift verify`, and see `hookdrift docs keep-the-history#verify-it`',
  })
}

import { hash } from 'node:crypto'
import type { Kind } from '../../../model/resource.ts'
import { type BodyColumns, bodyColumns, columnsOfBody } from '../../body-columns.ts'
import { type Check, sentences } from './check.ts'

interface VersionRow {
  readonly kind: Kind
  readonly uid: string
  readonly run: number
}

/** About resources, their bodies and the order of their versions, and about violations. */
export const versionChecks: readonly Check[] = [
  {
    id: 'I2',
    invariant: 'each content matches its digest',
    means: 'a stored resource was altered: drift that is compared with it would be wrong',
    *find(db) {
      const versions = db.prepare<
        [],
        VersionRow & BodyColumns & { id: number; digest: string; body: string; facts: string }
      >(`SELECT id, kind, uid, from_run AS run, digest, body, facts, ${bodyColumns.join(', ')} FROM version`)
      for (const { id, kind, uid, run, digest, body, facts, ...stored } of versions.iterate()) {
        const version = `${kind} ${uid} since run ${run} (version ${id})`
        if (hash('sha256', body + facts) !== digest) yield `the body of ${version} does not match its digest`
        // No digest covers these, and joins rely on them.
        const columns = columnsOfBody(kind, body)
        const altered = bodyColumns.filter((name) => stored[name] !== columns[name])
        for (const name of altered) yield `the column ${name} of ${version} does not match its body`
      }
      for (const table of ['document', 'evaluation']) {
        const documents = db.prepare<[], { sha256: string; body: string }>(`SELECT sha256, body FROM ${table}`)
        for (const { sha256, body } of documents.iterate()) {
          if (hash('sha256', body) !== sha256) yield `${table} ${sha256.slice(0, 12)}… does not match its digest`
        }
      }
    },
  },
  {
    id: 'I3',
    invariant: 'versions follow each other without overlap or gap',
    means: 'the history has two states of a resource at some time, or none',
    *find(db) {
      for (const [table, identity] of spans) {
        yield* sentences<VersionRow & { fault: string }>(
          db,
          followSql(table, identity),
          ({ kind, uid, run, fault }) => `${table} of ${kind} ${uid} that begins with run ${run} ${fault}`,
        )
      }
    },
  },
  {
    id: 'I4',
    invariant: 'each removal is backed by a complete scan',
    means: 'a resource that was not scanned was reported as removed',
    find: (db) =>
      sentences<VersionRow & { status: string | null }>(
        db,
        removedSql,
        ({ kind, uid, run, status }) =>
          `${kind} ${uid} was removed by run ${run}, whose scan was ${status ?? 'not made'}`,
      ),
  },
  {
    id: 'I5',
    invariant:
      'a violation ends only through a complete scan, another policy, a revoked baseline, an acceptance or its own expiry',
    means: 'a violation that was not evaluated was reported as ended',
    *find(db) {
      yield* sentences<EndedRow>(
        db,
        resolvedSql,
        ({ rule, kind, uid, run }) =>
          `${rule} at ${kind} ${uid} ended in run ${run}, which did not scan all ${kind}s and evaluated the same policy as before`,
      )
      yield* sentences<EndedRow>(
        db,
        unsaidSql,
        ({ rule, kind, uid, run }) => `${rule} at ${kind} ${uid} ended in run ${run}, and nothing says how`,
      )
    },
  },
]

const spans = [
  ['version', 'project_id, kind, uid'],
  ['violation', 'project_id, fingerprint'],
  ['unreferenced', 'project_id, kind, uid'],
] as const

/** A run being drafted ends nothing yet. A version may still name a pruned one that it replaced. */
function followSql(table: (typeof spans)[number][0], identity: string): string {
  const replaces = table === 'unreferenced' ? 'NULL' : 'replaces'
  const id = table === 'unreferenced' ? 'NULL' : 'id'
  return `
    WITH span AS (
      SELECT kind, uid, from_run, to_run, ${replaces} AS replaces, lag(from_run) OVER w AS since,
             lag(to_run) OVER w AS before_end, lag(${id}) OVER w AS before_id
      FROM ${table} WHERE from_run NOT IN (SELECT number FROM run WHERE state = 'running')
      WINDOW w AS (PARTITION BY ${identity} ORDER BY from_run${table === 'unreferenced' ? '' : ', id'}))
    SELECT kind, uid, from_run AS run, CASE
        WHEN to_run <= from_run THEN 'ends before it begins'
        WHEN since IS NOT NULL AND (before_end IS NULL OR before_end > from_run) THEN 'overlaps the one before it'
        WHEN replaces = before_id AND before_end <> from_run THEN 'leaves a gap after the one that it replaces'
        ELSE 'replaces one that is missing' END AS fault
    FROM span
    WHERE to_run <= from_run OR (since IS NOT NULL AND (before_end IS NULL OR before_end > from_run))
       OR (replaces = before_id AND before_end <> from_run)
       OR (replaces IS NOT NULL AND replaces IS NOT before_id
           AND NOT EXISTS (SELECT 1 FROM checkpoint))`
}

/** The listing that shows a kind; sources are shown by subscriptions where they are not listed. */
const removedSql = `
  SELECT v.kind, v.uid, v.to_run AS run,
         (SELECT w.status FROM walk w WHERE w.project_id = v.project_id AND w.run = v.to_run
            AND w.listing = CASE v.kind WHEN 'project' THEN 'project' ELSE v.kind || 's' END) AS status
  FROM version v JOIN run r ON r.number = v.to_run AND r.state = 'committed'
  WHERE v.kind IN ('project', 'endpoint', 'source', 'event_type', 'subscription')
    AND NOT EXISTS (SELECT 1 FROM version n WHERE n.project_id = v.project_id AND n.kind = v.kind AND n.uid = v.uid
                    AND n.from_run = v.to_run)
    AND status IS NOT 'complete'`

interface EndedRow {
  readonly rule: string
  readonly kind: string
  readonly uid: string
  readonly run: number
}

/** Readers know by its resolution that a violation ended, and was not written anew. */
const unsaidSql = `
  SELECT x.rule, x.kind, x.uid, x.to_run AS run FROM violation x JOIN run r ON r.number = x.to_run AND r.state = 'committed'
  WHERE x.resolution IS NULL AND NOT EXISTS (SELECT 1 FROM violation n WHERE n.replaces = x.id)`

/**
 * Two rules are about the scan of a project, not about its attributes. Its listings resolve them, also where the
 * service does not show the project. Violations of a list of projects are resolved by that list.
 *
 * An override ends what it switches off as soon as the resource is seen. Without a baseline, nothing is compared with one:
 * any scan ends what only that comparison found, when the baseline was revoked or was the files of one run.
 *
 * The runs since the violation was last seen count too: one of them may have changed the policy.
 */
const resolvedSql = `
  SELECT x.rule, x.kind, x.uid, x.to_run AS run
  FROM violation x JOIN run r ON r.number = x.to_run AND r.state = 'committed'
  WHERE NOT EXISTS (SELECT 1 FROM violation n WHERE n.replaces = x.id)
    AND ifnull(x.resolution, '') NOT IN ('accepted', 'expired')
    AND ifnull(x.ended_by ->> '$.kind', '') NOT IN ('override', 'baseline')
    AND NOT (x.rule LIKE 'drift/%' AND x.origin_run IS NULL AND x.ended_by ->> '$.kind' = 'rule_off'
      AND NOT EXISTS (SELECT 1 FROM approval a WHERE a.project_id = x.project_id AND a.approved_at <= r.started_at))
    AND x.kind IN ('project', 'endpoint', 'source', 'event_type', 'subscription', 'device')
    AND NOT EXISTS (
      SELECT 1 FROM walk w WHERE w.project_id = x.project_id AND w.run = x.to_run AND w.status = 'complete'
        AND w.listing IN (CASE x.kind WHEN 'project' THEN 'project' WHEN 'device' THEN 'subscriptions' ELSE x.kind || 's' END,
                          CASE x.kind WHEN 'source' THEN 'subscriptions' WHEN 'project' THEN 'projects' END))
    AND NOT (x.rule IN ('project/vanished', 'project/mass-removal') AND 2 = (
      SELECT count(*) FROM walk w WHERE w.project_id = x.project_id AND w.run = x.to_run AND w.status = 'complete'
        AND w.listing IN ('endpoints', 'subscriptions')))
    AND NOT EXISTS (
      SELECT 1 FROM run b WHERE b.number < r.number AND b.number >= ifnull(x.last_run, x.from_run)
        AND (b.policy_digest <> r.policy_digest OR b.tool_version <> r.tool_version))`

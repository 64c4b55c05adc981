import type { Database } from 'better-sqlite3'
import type { ChangeType } from '../../../model/change.ts'
import type { Kind, Listing } from '../../../model/resource.ts'
import type { KnownVersion, VersionText } from '../../history.ts'
import { acceptanceColumns, type StoredAcceptance } from '../../stored-acceptance.ts'
import type { ActiveViolationRow, WithOriginRow } from '../../stored-violation.ts'
import { releaseSql } from '../lease.ts'

type SqlValue = string | number | null

export type DraftStatements = ReturnType<typeof prepareStatements>

/**
 * The statements of a draft, prepared once. `run` is the run being drafted: its own rows are `from_run = run`.
 * Parameters are `?` in order, or `@named`: better-sqlite3 takes SQLite's `?1` for a name and binds nothing to it.
 */
export function prepareStatements(db: Database) {
  const all = <Row>(sql: string) => db.prepare<SqlValue[], Row>(sql)
  const named = <Parameters extends Record<string, SqlValue>, Row>(sql: string) => db.prepare<Parameters, Row>(sql)
  const value = <Value>(sql: string) => db.prepare<SqlValue[], Value>(sql).pluck()
  const violationColumns = `id, fingerprint, kind, uid, rule, path, state, severity, name, message, waiver,
    first_run AS firstRun, origin_run AS originRun`
  const activeViolation = `SELECT ${violationColumns} FROM violation`
  return {
    heartbeat: all('UPDATE lease SET heartbeat_at = ? WHERE token = ?'),
    token: value<number>('SELECT token FROM lease'),
    release: all(releaseSql),
    setCommitted: all("UPDATE run SET state = 'committed', finished_at = ? WHERE number = ?"),
    setExitCode: all('UPDATE run SET exit_code = ? WHERE number = ?'),

    startedAt: value<string>('SELECT started_at FROM run WHERE number = ?'),
    lastProject: value<number | null>('SELECT max(id) FROM project'),
    findProject: value<number>('SELECT id FROM project WHERE service = ? AND uid = ?'),
    insertProject: all('INSERT INTO project (id, service, uid) VALUES (?, ?, ?)'),

    lastScan: value<number | null>('SELECT max(run) FROM scan WHERE project_id = ? AND run < ?'),
    previouslyWithheld: value<string | null>(
      `SELECT h.uids FROM scan s CROSS JOIN walk w ON w.run = s.run AND w.project_id = s.project_id
       LEFT JOIN withheld_removal h ON h.project_id = w.project_id AND h.listing = w.listing AND h.run = w.run
       WHERE s.project_id = ? AND w.listing = ? AND s.run < ? AND w.status IN ('complete', 'suspect')
       ORDER BY s.run DESC LIMIT 1`,
    ),
    withhold: all('INSERT INTO withheld_removal (project_id, listing, run, uids) VALUES (?, ?, ?, ?)'),
    deleteWithheld: all('DELETE FROM withheld_removal WHERE project_id = ? AND run = ?'),
    // Of several rows with a greatest run, SQLite takes the other columns from the row that has it.
    lastShapes: all<{ project: number; listing: Listing; shape: string }>(
      `SELECT project_id AS project, listing, shape, max(run) FROM walk
       WHERE project_id IN (SELECT value FROM json_each(?)) AND run < ? AND shape IS NOT NULL
       GROUP BY project_id, listing`,
    ),

    hadVersions: value<number>('SELECT 1 FROM version WHERE project_id = ? AND from_run < ? LIMIT 1'),
    hadViolations: value<number>('SELECT 1 FROM violation WHERE project_id = ? AND from_run < ? LIMIT 1'),
    current: all<KnownVersion>(
      `SELECT v.id, v.kind, v.uid, v.name, v.from_run AS fromRun, v.digest, r.seal_key_id AS sealKeyId
       FROM version v CROSS JOIN run r ON r.number = v.from_run
       WHERE v.project_id = ? AND v.to_run IS NULL AND v.from_run < ? ORDER BY v.kind, v.uid`,
    ),
    texts: all<VersionText & { readonly id: number }>(
      'SELECT id, body, facts FROM version WHERE id IN (SELECT value FROM json_each(?))',
    ),
    currentIds: value<number>('SELECT id FROM version WHERE project_id = ? AND to_run IS NULL AND from_run < ?'),
    versionFloor: value<number>('SELECT version_floor FROM run WHERE number = ?'),
    insertVersion: all(
      `INSERT INTO version (id, project_id, kind, uid, from_run, replaces, normal_form_version, name, digest, body, facts,
                            endpoint_uid, source_uid, device_uid, owner_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    deleteVersions: all('DELETE FROM version WHERE project_id = ? AND from_run = ?'),
    endVersion: all('UPDATE version SET to_run = ? WHERE id = ?'),

    insertChange: db.prepare<[number, number, Kind, string, string, ChangeType, string, string | null]>(
      `INSERT INTO change (run, project_id, kind, uid, name, change, fields, referrers) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    deleteChanges: all('DELETE FROM change WHERE project_id = ? AND run = ?'),
    // Backwards from this run to the last one that is too old: a long history costs no more than a short one.
    modifiedSince: named<
      { projects: string; since: string; run: number },
      { project: number; kind: Kind; uid: string; run: number; at: string; paths: string }
    >(
      `SELECT c.project_id AS project, c.kind, c.uid, c.run, r.started_at AS at,
              (SELECT json_group_array(f.value ->> 'path') FROM json_each(c.fields) f) AS paths
       FROM run r CROSS JOIN change c ON c.run = r.number
       WHERE r.number < @run AND r.number > ifnull((SELECT o.number FROM run o
           WHERE o.number < @run AND o.started_at < @since ORDER BY o.number DESC LIMIT 1), 0)
         AND c.project_id IN (SELECT value FROM json_each(@projects)) AND c.change = 'modified' ORDER BY c.id`,
    ),
    // A source's uid as JSON text on both sides, as in the body.
    referrers: named<{ project: number; run: number; sources: string }, { id: number; uid: string; source: string }>(
      `SELECT v.id, v.uid, v.source_uid AS source FROM version v
       WHERE v.project_id = @project AND v.kind = 'subscription' AND v.to_run IS NULL
         AND NOT EXISTS (SELECT 1 FROM version n WHERE n.project_id = @project AND n.kind = 'subscription'
                         AND n.uid = v.uid AND n.from_run = @run AND n.id <> v.id)
         AND v.source_uid IN (SELECT value FROM json_each(@sources))`,
    ),
    marked: value<string>('SELECT uid FROM unreferenced WHERE project_id = ? AND kind = ? AND to_run IS NULL'),
    mark: all('INSERT INTO unreferenced (project_id, kind, uid, from_run) VALUES (?, ?, ?, ?)'),
    unmark: all('UPDATE unreferenced SET to_run = ? WHERE project_id = ? AND kind = ? AND uid = ? AND to_run IS NULL'),

    activeViolations: all<ActiveViolationRow>(
      `${activeViolation} WHERE project_id = ? AND kind = ? AND to_run IS NULL AND uid IN (SELECT value FROM json_each(?))
       AND from_run < ?`,
    ),
    activeOfProject: all<ActiveViolationRow>(
      `${activeViolation} WHERE project_id = ? AND to_run IS NULL AND from_run < ? ORDER BY id`,
    ),
    activeByRule: all<ActiveViolationRow>(
      `${activeViolation} WHERE project_id = ? AND to_run IS NULL AND from_run < ?
       AND rule IN (SELECT value FROM json_each(?)) ORDER BY id`,
    ),
    insertViolation: db.prepare(
      `INSERT INTO violation (fingerprint, project_id, kind, uid, rule, path, state, severity, name, message, from_run,
                              first_run, last_run, origin_run, replaces, waiver)
       VALUES (@fingerprint, @project_id, @kind, @uid, @rule, @path, @state, @severity, @name, @message, @from_run,
               @first_run, @last_run, @origin_run, @replaces, @waiver)`,
    ),
    deleteViolations: all('DELETE FROM violation WHERE project_id = ? AND to_run IS NULL AND from_run = ?'),
    endReplacedViolation: all('UPDATE violation SET to_run = ? WHERE id = ?'),
    endViolation: all('UPDATE violation SET to_run = ?, resolution = ?, ended_by = ? WHERE id = ?'),
    violationsWithOrigin: db.prepare<{ projects: string; run: number }, WithOriginRow>(
      `SELECT ${violationColumns}, project_id AS project, to_run IS NULL AS isActive,
         (SELECT started_at FROM run WHERE number = first_run) AS firstSeen
       FROM violation v WHERE project_id IN (SELECT value FROM json_each(@projects)) AND from_run < @run AND origin_run IS NOT NULL AND (to_run IS NULL
         OR (resolution = 'accepted' AND NOT EXISTS (SELECT 1 FROM violation n WHERE n.fingerprint = v.fingerprint AND n.id > v.id)
           AND EXISTS (SELECT 1 FROM acceptance a WHERE a.project_id = v.project_id AND a.fingerprint = v.fingerprint
             AND a.ended_at IS NULL AND (a.revoked_at IS NULL
               OR a.revoked_at > (SELECT started_at FROM run WHERE number = v.to_run)))))
       ORDER BY id`,
    ),
    oldViolations: db.prepare<{ project: number; before: string }, ActiveViolationRow & { readonly firstSeen: string }>(
      `SELECT * FROM (SELECT ${violationColumns}, (SELECT started_at FROM run WHERE number = first_run) AS firstSeen
         FROM violation v WHERE project_id = @project AND to_run IS NULL
           AND NOT EXISTS (SELECT 1 FROM violation n WHERE n.replaces = v.id))
       WHERE firstSeen < (SELECT b.value FROM json_each(@before) b WHERE b.key = severity) ORDER BY id`,
    ),
    lastAcceptance: value<number | null>('SELECT max(id) FROM acceptance'),
    acceptancesOf: all<StoredAcceptance>(
      `SELECT ${acceptanceColumns} FROM acceptance a JOIN project p ON p.id = a.project_id
       WHERE a.project_id = ? AND a.revoked_at IS NULL ORDER BY a.id`,
    ),
    endAcceptance: all(
      `UPDATE acceptance SET ended_at = (SELECT started_at FROM run WHERE number = ?), ended_in = ?, ended_by = ?
       WHERE id = ?`,
    ),
    underOtherRules: named<{ projects: string; run: number }, { project: number }>(
      `SELECT p.value AS project FROM json_each(@projects) p JOIN run r ON r.number = @run
       JOIN run b ON b.number = (SELECT max(run) FROM scan WHERE project_id = p.value AND run < @run)
       WHERE b.policy_digest <> r.policy_digest OR b.configuration_digest <> r.configuration_digest
         OR b.tool_version <> r.tool_version`,
    ),

    insertScan: all('INSERT INTO scan (project_id, run, name) VALUES (?, ?, ?)'),
    insertWalk: db.prepare(
      `INSERT INTO walk (project_id, listing, run, status, cause, reason, filter, pages, items, requests, retries,
                         duration_ms, shape, total, oldest_at)
       VALUES (@projectId, @listing, @run, @status, @cause, @reason, @filter, @pages, @items, @requests, @retries,
               @durationMs, @shape, @total, @oldestAt)`,
    ),
    noteFirstComplete: all(
      'INSERT INTO first_complete_walk (project_id, listing, run) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    reading: value<string>('SELECT body FROM reading WHERE project_id = ? AND name = ?'),
    holdReading: all(
      `INSERT INTO reading (project_id, name, body) VALUES (?, ?, ?)
       ON CONFLICT (project_id, name) DO UPDATE SET body = excluded.body`,
    ),
    insertDocument: all('INSERT INTO document (sha256, body) VALUES (?, ?) ON CONFLICT (sha256) DO NOTHING'),
    nameDocuments: all('UPDATE run SET rules_document = ?, projects_document = ? WHERE number = ?'),
    insertNotice: all('INSERT INTO notice (run, number, code, project_id, listing, text) VALUES (?, ?, ?, ?, ?, ?)'),
  }
}

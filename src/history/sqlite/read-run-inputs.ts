import type { Database } from 'better-sqlite3'
import type { Kind, Listing } from '../../model/resource.ts'
import { readProjects, readStableContext } from '../read-documents.ts'
import type { RunInputs } from '../reader.ts'
import { cachedStatement } from './cached-statement.ts'
import { readChanges } from './read-run.ts'

interface RunRow extends Pick<RunInputs, 'configurationDigest' | 'sealKeyId' | 'failOn'> {
  readonly rules: string | null
  readonly projects: string | null
}

interface OfProject {
  readonly service: string
  readonly project: string
}

export function readRunInputs(db: Database, run: number): RunInputs | undefined {
  const row = cachedStatement<[number], RunRow>(
    db,
    `SELECT configuration_digest AS configurationDigest, seal_key_id AS sealKeyId, fail_on AS failOn,
       (SELECT body FROM document WHERE sha256 = rules_document) AS rules,
            (SELECT body FROM document WHERE sha256 = projects_document) AS projects
     FROM run WHERE number = ? AND state = 'committed'`,
  ).get(run)
  if (row === undefined) return undefined
  return {
    ...row,
    rules: readStableContext(row.rules).rules,
    projects: readProjects(row.projects),
    changes: readChanges(db, run),
    withheldRemovals: readWithheldRemovals(db, run),
    unreferenced: readUnreferenced(db, run),
  }
}

function readWithheldRemovals(db: Database, run: number): RunInputs['withheldRemovals'] {
  return cachedStatement<[number], OfProject & { listing: Listing; uids: string }>(
    db,
    `SELECT p.service, p.uid AS project, h.listing, h.uids FROM withheld_removal h JOIN project p ON p.id = h.project_id
     WHERE h.run = ? ORDER BY p.uid, h.listing`,
  )
    .all(run)
    .map(({ service, project, listing, uids }) => ({
      project: { service, uid: project },
      listing,
      uids: JSON.parse(uids) as string[],
    }))
}

function readUnreferenced(db: Database, run: number): RunInputs['unreferenced'] {
  return cachedStatement<{ run: number }, OfProject & { kind: Kind; uid: string }>(
    db,
    `SELECT p.service, p.uid AS project, u.kind, u.uid FROM unreferenced u JOIN project p ON p.id = u.project_id
     WHERE u.from_run <= @run AND (u.to_run IS NULL OR u.to_run > @run) ORDER BY p.uid, u.kind, u.uid`,
  )
    .all({ run })
    .map(({ service, project, kind, uid }) => ({ project: { service, uid: project }, kind, uid }))
}

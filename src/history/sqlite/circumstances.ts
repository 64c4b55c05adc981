import type { Database } from 'better-sqlite3'
import type { JudgedProject } from '../../model/judging.ts'
import type { Kind, Listing } from '../../model/resource.ts'
import type { Circumstances } from '../reader.ts'
import { prepared } from './prepared.ts'
import { readChanges } from './read-run.ts'

interface RunRow extends Pick<Circumstances, 'configurationDigest' | 'sealKeyId'> {
  readonly projects: string | null
}

interface OfProject {
  readonly service: string
  readonly project: string
}

export function circumstances(db: Database, run: number): Circumstances | undefined {
  const row = prepared<[number], RunRow>(
    db,
    `SELECT configuration_digest AS configurationDigest, seal_key_id AS sealKeyId,
            (SELECT body FROM document WHERE sha256 = projects_document) AS projects
     FROM run WHERE number = ? AND state = 'committed'`,
  ).get(run)
  if (row === undefined) return undefined
  return {
    ...row,
    // What we wrote ourselves.
    projects: JSON.parse(row.projects ?? '[]') as JudgedProject[],
    changes: readChanges(db, run),
    held: readHeld(db, run),
    unreferenced: readUnreferenced(db, run),
  }
}

function readHeld(db: Database, run: number): Circumstances['held'] {
  return prepared<[number], OfProject & { listing: Listing; uids: string }>(
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

function readUnreferenced(db: Database, run: number): Circumstances['unreferenced'] {
  return prepared<{ run: number }, OfProject & { kind: Kind; uid: string }>(
    db,
    `SELECT p.service, p.uid AS project, u.kind, u.uid FROM unreferenced u JOIN project p ON p.id = u.project_id
     WHERE u.from_run <= @run AND (u.to_run IS NULL OR u.to_run > @run) ORDER BY p.uid, u.kind, u.uid`,
  )
    .all({ run })
    .map(({ service, project, kind, uid }) => ({ project: { service, uid: project }, kind, uid }))
}

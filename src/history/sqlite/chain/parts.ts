import type { Database } from 'better-sqlite3'
import { type DigestedRows, digestRows } from './digest-rows.ts'
import {
  acceptanceMembers,
  approvalMembers,
  approvedMembers,
  changeMembers,
  checkpointLinkMembers,
  checkpointMembers,
  endMembers,
  noticeMembers,
  projectMembers,
  revocationMembers,
  runMembers,
  scanMembers,
  unreferencedMembers,
  versionMembers,
  violationMembers,
  violationMembersBefore3,
  walkMembers,
  withheldMembers,
} from './members.ts'

/** Digests of recorded rows, by part. Parts without rows are absent. */
export type Parts = Readonly<Record<string, string>>

/**
 * What the digests cover. Version 1: links made before schema 10. Version 2 adds scans, the causes of walks, and the
 * codes and numbers of notices, which an upgrade added to older rows. Version 3 adds the origins and resolutions of
 * violations, and acceptances.
 */
export type ChainVersion = 1 | 2 | 3
export const chainVersion: ChainVersion = 3

type PartRows = Readonly<Record<string, DigestedRows>>

/** Everything that a run writes, by a condition on the run. The run that ends a row (`to_run`) covers its end. */
function partsBy(run: string, version: ChainVersion): PartRows {
  const [began, ended, ofRun] = [`from_run ${run}`, `to_run ${run}`, `run ${run}`]
  const inScan = { where: `s.run ${run}`, order: 's.run, s.project_id, listing' }
  const scans: DigestedRows = { from: 'scan', members: scanMembers, where: ofRun, order: 'run, project_id' }
  const bySpan = 'project_id, kind, uid, from_run'
  return {
    projects: {
      from: 'project',
      members: projectMembers,
      where: `id IN (SELECT project_id FROM scan WHERE ${ofRun})`,
      order: 'id',
    },
    ...(version === 1
      ? { walks: { from: `scan s JOIN (${walksOfVersion1(ofRun)}) w ${onScan}`, members: walkMembers, ...inScan } }
      : {
          scans,
          walks: { from: `scan s JOIN walk w ${onScan}`, members: { ...walkMembers, cause: 'cause' }, ...inScan },
        }),
    versions: { from: 'version', members: versionMembers, where: began, order: 'id' },
    ended_versions: { from: 'version', members: endMembers, where: ended, order: 'id' },
    unreferenced: { from: 'unreferenced', members: unreferencedMembers, where: began, order: bySpan },
    referenced_again: {
      from: 'unreferenced',
      members: { ...unreferencedMembers, to_run: 'to_run' },
      where: ended,
      order: bySpan,
    },
    changes: { from: 'change', members: changeMembers, where: ofRun, order: 'id' },
    violations: {
      from: 'violation',
      members: version < 3 ? violationMembersBefore3 : violationMembers,
      where: began,
      order: 'id',
    },
    ended_violations: {
      from: 'violation',
      members: version < 3 ? endMembers : { ...endMembers, resolution: 'resolution' },
      where: ended,
      order: 'id',
    },
    notices: {
      from: 'notice',
      members: version === 1 ? noticeMembers : { ...noticeMembers, code: 'code', number: 'number' },
      where: ofRun,
      order: 'run, number',
    },
    held: { from: 'withheld_removal', members: withheldMembers, where: ofRun, order: 'run, project_id, listing' },
  }
}

const onScan = 'ON w.project_id = s.project_id AND w.run = s.run'

/** Before schema 10, an empty walk of endpoints recorded the scan of the policy. */
function walksOfVersion1(ofRun: string): string {
  return `SELECT project_id, listing, run, status, reason, filter, pages, items, requests, retries, duration_ms, shape
      FROM walk WHERE ${ofRun}
    UNION ALL SELECT project_id, 'endpoints', run, 'complete', NULL, NULL, 0, 0, 0, 0, 0, NULL FROM scan e
      WHERE ${ofRun} AND NOT EXISTS (SELECT 1 FROM walk o WHERE o.project_id = e.project_id AND o.run = e.run)`
}

/** Approvals, acceptances and revocations between runs, by the run committed after them. */
function approvalsBy(isBy: (column: string) => string): PartRows {
  const approved = isBy('approved_in')
  return {
    acceptances: { from: 'acceptance', members: acceptanceMembers, where: isBy('accepted_in'), order: 'id' },
    revoked_acceptances: { from: 'acceptance', members: revocationMembers, where: isBy('revoked_in'), order: 'id' },
    approvals: { from: 'approval', members: approvalMembers, where: approved, order: 'id' },
    approved_resources: {
      from: 'approved_resource',
      members: approvedMembers,
      where: `approval_id IN (SELECT id FROM approval WHERE ${approved})`,
      order: 'approval_id, kind, uid',
    },
    revocations: { from: 'approval', members: revocationMembers, where: isBy('revoked_in'), order: 'id' },
  }
}

/** What the link of a run covers, with checkpoints and the interrupted runs since the committed run before it. */
function ofRun(version: ChainVersion): PartRows {
  return {
    run: {
      from: 'run',
      members: runMembers,
      where: `number = @run OR (state = 'interrupted' AND number < @run AND number >
        (SELECT ifnull(max(number), 0) FROM run WHERE number < @run AND state IN ('committed', 'pruned')))`,
      order: 'number',
    },
    ...partsBy('= @run', version),
    ...approvalsBy((column) => `${column} = @run`),
    checkpoints: {
      from: 'checkpoint',
      members: { ...checkpointMembers, ...checkpointLinkMembers },
      where: 'run = @run',
      order: 'id',
    },
  }
}

/** Runs whose rows no link covers: pruned and resealed ones, and those committed before there was a chain. */
const unlinked = "(SELECT number FROM run WHERE state = 'pruned' OR (state = 'committed' AND chain IS NULL))"

function outsideTheChain(version: ChainVersion): PartRows {
  return {
    runs: {
      from: 'run',
      members: runMembers,
      where: `number IN ${unlinked} OR (state = 'interrupted' AND number < (SELECT max(number) FROM run
        WHERE state = 'committed' AND chain IS NULL))`,
      order: 'number',
    },
    ...partsBy(`IN ${unlinked}`, version),
    // Approvals may refer to a run that is gone. Those since the last run are not covered yet.
    ...approvalsBy(
      (column) =>
        `${column} IS NOT NULL AND ${column} NOT IN (SELECT number FROM run WHERE state = 'committed' AND chain IS NOT NULL)`,
    ),
    // Without `run`, which is set later, and without the digest itself.
    checkpoints: { from: 'checkpoint', members: checkpointMembers, where: 'id <= @checkpoint', order: 'id' },
    earlier: {
      from: 'checkpoint',
      members: { id: 'id', carried: 'state_digest' },
      where: 'id < @checkpoint',
      order: 'id',
    },
  }
}

/** Digests of parts that are known without reading their rows; undefined of a part without rows. */
export type KnownParts = ReadonlyMap<string, string | undefined>

/** Digests of what a run recorded, as it is now, but for those that are known. */
export function partsOfRun(db: Database, run: number, version: ChainVersion, known: KnownParts = new Map()): Parts {
  return digestsOf(db, ofRun(version), { run }, known)
}

/** Digests of all that no link covers, as a checkpoint carries them. */
export function partsCarried(db: Database, checkpoint: number, version: ChainVersion): Parts {
  return digestsOf(db, outsideTheChain(version), { checkpoint })
}

function digestsOf(
  db: Database,
  parts: PartRows,
  parameters: Readonly<Record<string, number>>,
  known: KnownParts = new Map(),
): Parts {
  const digests = Object.entries(parts).flatMap(([name, rows]): [string, string][] => {
    const digest = known.has(name) ? known.get(name) : digestRows(db, rows, parameters)
    return digest === undefined ? [] : [[name, digest]]
  })
  return Object.fromEntries(digests)
}

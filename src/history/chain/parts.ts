import type { DigestedRows } from './digested-rows.ts'
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

/** What the statements of a backend write differently. */
export interface SqlNames {
  /** Before the name of each table. */
  readonly schema: string
  /** The parameter with the number of the run or checkpoint. */
  readonly number: string
}

export type PartRows = Readonly<Record<string, DigestedRows>>

/** Everything that a run writes, by a condition on the run. The run that ends a row (`to_run`) covers its end. */
function partsBy(run: string, version: ChainVersion, schema: string): PartRows {
  const [began, ended, ofRun] = [`from_run ${run}`, `to_run ${run}`, `run ${run}`]
  const inScan = { where: `s.run ${run}`, order: 's.run, s.project_id, listing' }
  const scans: DigestedRows = { from: `${schema}scan`, members: scanMembers, where: ofRun, order: 'run, project_id' }
  const bySpan = 'project_id, kind, uid, from_run'
  return {
    projects: {
      from: `${schema}project`,
      members: projectMembers,
      where: `id IN (SELECT project_id FROM ${schema}scan WHERE ${ofRun})`,
      order: 'id',
    },
    ...(version === 1
      ? {
          walks: {
            from: `${schema}scan s JOIN (${walksOfVersion1(ofRun, schema)}) w ${onScan}`,
            members: walkMembers,
            ...inScan,
          },
        }
      : {
          scans,
          walks: {
            from: `${schema}scan s JOIN ${schema}walk w ${onScan}`,
            members: { ...walkMembers, cause: 'cause' },
            ...inScan,
          },
        }),
    versions: { from: `${schema}version`, members: versionMembers, where: began, order: 'id' },
    ended_versions: { from: `${schema}version`, members: endMembers, where: ended, order: 'id' },
    unreferenced: { from: `${schema}unreferenced`, members: unreferencedMembers, where: began, order: bySpan },
    referenced_again: {
      from: `${schema}unreferenced`,
      members: { ...unreferencedMembers, to_run: 'to_run' },
      where: ended,
      order: bySpan,
    },
    changes: { from: `${schema}change`, members: changeMembers, where: ofRun, order: 'id' },
    violations: {
      from: `${schema}violation`,
      members: version < 3 ? violationMembersBefore3 : violationMembers,
      where: began,
      order: 'id',
    },
    ended_violations: {
      from: `${schema}violation`,
      members: version < 3 ? endMembers : { ...endMembers, resolution: 'resolution' },
      where: ended,
      order: 'id',
    },
    notices: {
      from: `${schema}notice`,
      members: version === 1 ? noticeMembers : { ...noticeMembers, code: 'code', number: 'number' },
      where: ofRun,
      order: 'run, number',
    },
    held: {
      from: `${schema}withheld_removal`,
      members: withheldMembers,
      where: ofRun,
      order: 'run, project_id, listing',
    },
  }
}

const onScan = 'ON w.project_id = s.project_id AND w.run = s.run'

/** Before schema 10, an empty walk of endpoints recorded the scan of the policy. */
function walksOfVersion1(ofRun: string, schema: string): string {
  return `SELECT project_id, listing, run, status, reason, filter, pages, items, requests, retries, duration_ms, shape
      FROM ${schema}walk WHERE ${ofRun}
    UNION ALL SELECT project_id, 'endpoints', run, 'complete', NULL, NULL, 0, 0, 0, 0, 0, NULL FROM ${schema}scan e
      WHERE ${ofRun} AND NOT EXISTS (SELECT 1 FROM ${schema}walk o WHERE o.project_id = e.project_id AND o.run = e.run)`
}

/** Approvals, acceptances and revocations between runs, by the run committed after them. */
function approvalsBy(isBy: (column: string) => string, schema: string): PartRows {
  const approved = isBy('approved_in')
  return {
    acceptances: { from: `${schema}acceptance`, members: acceptanceMembers, where: isBy('accepted_in'), order: 'id' },
    revoked_acceptances: {
      from: `${schema}acceptance`,
      members: revocationMembers,
      where: isBy('revoked_in'),
      order: 'id',
    },
    approvals: { from: `${schema}approval`, members: approvalMembers, where: approved, order: 'id' },
    approved_resources: {
      from: `${schema}approved_resource`,
      members: approvedMembers,
      where: `approval_id IN (SELECT id FROM ${schema}approval WHERE ${approved})`,
      order: 'approval_id, kind, uid',
    },
    revocations: { from: `${schema}approval`, members: revocationMembers, where: isBy('revoked_in'), order: 'id' },
  }
}

/** What the link of a run covers, with checkpoints and the interrupted runs since the committed run before it. */
export function runRows(version: ChainVersion, { schema, number }: SqlNames): PartRows {
  return {
    run: {
      from: `${schema}run`,
      members: runMembers,
      where: `number = ${number} OR (state = 'interrupted' AND number < ${number} AND number > (SELECT coalesce(max(number), 0)
        FROM ${schema}run WHERE number < ${number} AND state IN ('committed', 'pruned')))`,
      order: 'number',
    },
    ...partsBy(`= ${number}`, version, schema),
    ...approvalsBy((column) => `${column} = ${number}`, schema),
    checkpoints: {
      from: `${schema}checkpoint`,
      members: { ...checkpointMembers, ...checkpointLinkMembers },
      where: `run = ${number}`,
      order: 'id',
    },
  }
}

/**
 * What a checkpoint covers: all rows that no link does, of pruned and resealed runs, and of those committed before there
 * was a chain.
 */
export function carriedRows(version: ChainVersion, { schema, number }: SqlNames): PartRows {
  const unlinked = `(SELECT number FROM ${schema}run WHERE state = 'pruned' OR (state = 'committed' AND chain IS NULL))`
  const linked = `(SELECT number FROM ${schema}run WHERE state = 'committed' AND chain IS NOT NULL)`
  return {
    runs: {
      from: `${schema}run`,
      members: runMembers,
      where: `number IN ${unlinked} OR (state = 'interrupted' AND number < (SELECT max(number) FROM ${schema}run
        WHERE state = 'committed' AND chain IS NULL))`,
      order: 'number',
    },
    ...partsBy(`IN ${unlinked}`, version, schema),
    // Approvals may refer to a run that is gone. Those since the last run are not covered yet.
    ...approvalsBy((column) => `${column} IS NOT NULL AND ${column} NOT IN ${linked}`, schema),
    // Without `run`, which is set later, and without the digest itself.
    checkpoints: { from: `${schema}checkpoint`, members: checkpointMembers, where: `id <= ${number}`, order: 'id' },
    earlier: {
      from: `${schema}checkpoint`,
      members: { id: 'id', carried: 'state_digest' },
      where: `id < ${number}`,
      order: 'id',
    },
  }
}

/** Digests of parts that are known without reading their rows; undefined of a part without rows. */
export type KnownParts = ReadonlyMap<string, string | undefined>

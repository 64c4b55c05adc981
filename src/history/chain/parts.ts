import type { DigestedRows } from './digested-rows.ts'
import {
  acceptanceMembers,
  approvalMembers,
  approvedMembers,
  changeMembers,
  checkpointLinkMembers,
  checkpointMembers,
  endedAcceptanceMembers,
  endedViolationMembers,
  endMembers,
  noticeMembers,
  projectMembers,
  revocationMembers,
  runMembers,
  scanMembers,
  unreferencedMembers,
  versionMembers,
  violationMembers,
  walkMembers,
  withheldMembers,
} from './members.ts'

/** Digests of recorded rows, by part. Parts without rows are absent. */
export type Parts = Readonly<Record<string, string>>

/** What the statements of a backend write differently. */
export interface SqlNames {
  /** Before the name of each table. */
  readonly schema: string
  /** The parameter with the number of the run or checkpoint. */
  readonly number: string
}

export type PartRows = Readonly<Record<string, DigestedRows>>

/** Everything that a run writes, by a condition on the run. The run that ends a row (`to_run`) covers its end. */
function partsBy(run: string, schema: string): PartRows {
  const [began, ended, ofRun] = [`from_run ${run}`, `to_run ${run}`, `run ${run}`]
  const bySpan = 'project_id, kind, uid, from_run'
  return {
    projects: {
      from: `${schema}project`,
      members: projectMembers,
      where: `id IN (SELECT project_id FROM ${schema}scan WHERE ${ofRun})`,
      order: 'id',
    },
    scans: { from: `${schema}scan`, members: scanMembers, where: ofRun, order: 'run, project_id' },
    walks: {
      from: `${schema}scan s JOIN ${schema}walk w ON w.project_id = s.project_id AND w.run = s.run`,
      members: walkMembers,
      where: `s.run ${run}`,
      order: 's.run, s.project_id, listing',
    },
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
    violations: { from: `${schema}violation`, members: violationMembers, where: began, order: 'id' },
    ended_violations: { from: `${schema}violation`, members: endedViolationMembers, where: ended, order: 'id' },
    notices: { from: `${schema}notice`, members: noticeMembers, where: ofRun, order: 'run, number' },
    withheld_removals: {
      from: `${schema}withheld_removal`,
      members: withheldMembers,
      where: ofRun,
      order: 'run, project_id, listing',
    },
  }
}

/** Approvals, acceptances and revocations between runs, by the run committed after them, and the ends that it decided. */
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
    ended_acceptances: {
      from: `${schema}acceptance`,
      members: endedAcceptanceMembers,
      where: isBy('ended_in'),
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
export function runRows({ schema, number }: SqlNames): PartRows {
  return {
    run: {
      from: `${schema}run`,
      members: runMembers,
      where: `number = ${number} OR (state = 'interrupted' AND number < ${number} AND number > (SELECT coalesce(max(number), 0)
        FROM ${schema}run WHERE number < ${number} AND state IN ('committed', 'pruned')))`,
      order: 'number',
    },
    ...partsBy(`= ${number}`, schema),
    ...approvalsBy((column) => `${column} = ${number}`, schema),
    checkpoints: {
      from: `${schema}checkpoint`,
      members: { ...checkpointMembers, ...checkpointLinkMembers },
      where: `run = ${number}`,
      order: 'id',
    },
  }
}

/** What a checkpoint covers: all rows of pruned runs, which no link does. */
export function carriedRows({ schema, number }: SqlNames): PartRows {
  const pruned = `(SELECT number FROM ${schema}run WHERE state = 'pruned')`
  const linked = `(SELECT number FROM ${schema}run WHERE state = 'committed')`
  return {
    runs: { from: `${schema}run`, members: runMembers, where: `number IN ${pruned}`, order: 'number' },
    ...partsBy(`IN ${pruned}`, schema),
    // Approvals may refer to a run that is gone. Those since the last run are not covered yet.
    ...approvalsBy((column) => `${column} IS NOT NULL AND ${column} NOT IN ${linked}`, schema),
    // Without `run`, which is set later, and without the digest itself.
    checkpoints: { from: `${schema}checkpoint`, members: checkpointMembers, where: `id <= ${number}`, order: 'id' },
    earlier: {
      from: `${schema}checkpoint`,
      members: { id: 'id', state_digest: 'state_digest' },
      where: `id < ${number}`,
      order: 'id',
    },
  }
}

/** Digests of parts that are known without reading their rows; undefined of a part without rows. */
export type KnownParts = ReadonlyMap<string, string | undefined>

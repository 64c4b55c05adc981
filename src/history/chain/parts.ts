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

export type PartRows = Readonly<Record<string, DigestedRows>>

/** Everything that a run writes, by a condition on the run. The run that ends a row (`to_run`) covers its end. */
function partsBy(run: string): PartRows {
  const [began, ended, ofRun] = [`from_run ${run}`, `to_run ${run}`, `run ${run}`]
  const bySpan = 'project_id, kind, uid, from_run'
  return {
    projects: {
      from: 'hookdrift.project',
      members: projectMembers,
      where: `id IN (SELECT project_id FROM hookdrift.scan WHERE ${ofRun})`,
      order: 'id',
    },
    scans: { from: 'hookdrift.scan', members: scanMembers, where: ofRun, order: 'run, project_id' },
    walks: {
      from: `hookdrift.scan s JOIN hookdrift.walk w ON w.project_id = s.project_id AND w.run = s.run`,
      members: walkMembers,
      where: `s.run ${run}`,
      order: 's.run, s.project_id, listing',
    },
    versions: { from: 'hookdrift.version', members: versionMembers, where: began, order: 'id' },
    ended_versions: { from: 'hookdrift.version', members: endMembers, where: ended, order: 'id' },
    unreferenced: { from: 'hookdrift.unreferenced', members: unreferencedMembers, where: began, order: bySpan },
    referenced_again: {
      from: 'hookdrift.unreferenced',
      members: { ...unreferencedMembers, to_run: 'to_run' },
      where: ended,
      order: bySpan,
    },
    changes: { from: 'hookdrift.change', members: changeMembers, where: ofRun, order: 'id' },
    violations: { from: 'hookdrift.violation', members: violationMembers, where: began, order: 'id' },
    ended_violations: { from: 'hookdrift.violation', members: endedViolationMembers, where: ended, order: 'id' },
    notices: { from: 'hookdrift.notice', members: noticeMembers, where: ofRun, order: 'run, number' },
    withheld_removals: {
      from: 'hookdrift.withheld_removal',
      members: withheldMembers,
      where: ofRun,
      order: 'run, project_id, listing',
    },
  }
}

/** Approvals, acceptances and revocations between runs, by the run committed after them, and the ends that it decided. */
function approvalsBy(isBy: (column: string) => string): PartRows {
  const approved = isBy('approved_in')
  return {
    acceptances: { from: 'hookdrift.acceptance', members: acceptanceMembers, where: isBy('accepted_in'), order: 'id' },
    revoked_acceptances: {
      from: 'hookdrift.acceptance',
      members: revocationMembers,
      where: isBy('revoked_in'),
      order: 'id',
    },
    ended_acceptances: {
      from: 'hookdrift.acceptance',
      members: endedAcceptanceMembers,
      where: isBy('ended_in'),
      order: 'id',
    },
    approvals: { from: 'hookdrift.approval', members: approvalMembers, where: approved, order: 'id' },
    approved_resources: {
      from: 'hookdrift.approved_resource',
      members: approvedMembers,
      where: `approval_id IN (SELECT id FROM hookdrift.approval WHERE ${approved})`,
      order: 'approval_id, kind, uid',
    },
    revocations: { from: 'hookdrift.approval', members: revocationMembers, where: isBy('revoked_in'), order: 'id' },
  }
}

/** What the link of a run covers, with checkpoints and the interrupted runs since the committed run before it. `$1` is its number. */
export const runRows: PartRows = {
  run: {
    from: 'hookdrift.run',
    members: runMembers,
    where: `number = $1 OR (state = 'interrupted' AND number < $1 AND number > (SELECT coalesce(max(number), 0)
        FROM hookdrift.run WHERE number < $1 AND state IN ('committed', 'pruned')))`,
    order: 'number',
  },
  ...partsBy('= $1'),
  ...approvalsBy((column) => `${column} = $1`),
  checkpoints: {
    from: 'hookdrift.checkpoint',
    members: { ...checkpointMembers, ...checkpointLinkMembers },
    where: 'run = $1',
    order: 'id',
  },
}

const pruned = "(SELECT number FROM hookdrift.run WHERE state = 'pruned')"
const linked = "(SELECT number FROM hookdrift.run WHERE state = 'committed')"

/** What a checkpoint covers: all rows of pruned runs, which no link does. */
export const carriedRows: PartRows = {
  runs: { from: 'hookdrift.run', members: runMembers, where: `number IN ${pruned}`, order: 'number' },
  ...partsBy(`IN ${pruned}`),
  // Approvals may refer to a run that is gone. Those since the last run are not covered yet.
  ...approvalsBy((column) => `${column} IS NOT NULL AND ${column} NOT IN ${linked}`),
  // Without `run`, which is set later, and without the digest itself.
  checkpoints: { from: 'hookdrift.checkpoint', members: checkpointMembers, where: 'id <= $1', order: 'id' },
  earlier: {
    from: 'hookdrift.checkpoint',
    members: { id: 'id', state_digest: 'state_digest' },
    where: 'id < $1',
    order: 'id',
  },
}

/** Digests of parts that are known without reading their rows; undefined of a part without rows. */
export type KnownParts = ReadonlyMap<string, string | undefined>

/** The members of a row in a digest: the chain's own names, and the SQL of each. */
export type DigestMembers = Readonly<Record<string, string>>

/** Some rows, in SQL that both engines execute. */
export interface DigestedRows {
  /** A table, or several that are joined. */
  readonly from: string
  readonly members: DigestMembers
  readonly where: string
  readonly order: string
}

// What the chain covers of each row. The names on the left are the chain's own: once released they never change, so that
// old links still verify, and a renamed column changes the right side only. Both engines execute it.

/** Members with the names of their columns. */
function alike<const Name extends string>(...names: readonly Name[]): { readonly [Member in Name]: string } {
  // fromEntries forgets which names the keys are.
  return Object.fromEntries(names.map((name) => [name, name])) as { [Member in Name]: string & Name }
}

const runMembers: DigestMembers = {
  ...alike('number', 'started_at', 'finished_at', 'exit_code', 'fail_on', 'tool_version', 'policy_digest'),
  ...alike('configuration_digest', 'seal_key_id', 'version_floor', 'violation_floor', 'rules_document'),
  ...alike('state', 'normal_form_version'),
}

const projectMembers = alike('id', 'service', 'uid')

const scanMembers: DigestMembers = {
  ...alike('project_id', 'run', 'name'),
  evaluation: '(SELECT e.sha256 FROM hookdrift.evaluation e WHERE e.id = scan.evaluation)',
}

/** Of `scan s JOIN walk w`. */
const walkMembers: DigestMembers = {
  project_id: 'w.project_id',
  run: 'w.run',
  project: 's.name',
  ...alike('listing', 'status', 'cause', 'reason', 'filter', 'pages', 'items', 'requests', 'retries', 'duration_ms'),
  ...alike('shape', 'total', 'oldest_at', 'since_run', 'since_at'),
}

/** The body is covered by its digest, and the end of a version by the run that ends it. */
export const versionMembers = {
  ...alike('id', 'project_id', 'kind', 'uid', 'from_run', 'replaces', 'normal_form_version', 'name', 'digest'),
} as const satisfies DigestMembers

const unreferencedMembers = alike('project_id', 'kind', 'uid', 'from_run')

export const changeMembers = alike(
  'id',
  'run',
  'project_id',
  'kind',
  'uid',
  'name',
  'change',
  'fields',
  'referrers',
  'after_at',
  'before_at',
  'owner',
)

export const violationMembers = {
  ...alike('id', 'fingerprint', 'project_id', 'kind', 'uid', 'rule', 'path', 'state', 'severity', 'name', 'message'),
  ...alike('from_run', 'first_run', 'last_run', 'replaces', 'waiver', 'origin_run'),
} as const satisfies DigestMembers

const endMembers = alike('id', 'to_run')

const endedViolationMembers = alike('id', 'to_run', 'resolution', 'ended_by')

const noticeMembers = alike('run', 'number', 'code', 'project_id', 'listing', 'text')

const withheldMembers = alike('project_id', 'listing', 'run', 'uids')

const approvalMembers = alike(
  ...['id', 'project_id', 'project', 'run', 'scopes', 'note', 'approved_at', 'approved_by', 'approved_as'],
  ...['approved_in', 'amendments', 'approves', 'confirms'],
)

const acceptanceMembers = alike(
  ...['id', 'project_id', 'project', 'fingerprint', 'rule', 'kind', 'uid', 'path', 'reason'],
  ...['value_digest', 'accepted_at', 'accepted_by', 'accepted_as', 'accepted_in'],
)

const endedAcceptanceMembers = alike('id', 'ended_at', 'ended_by', 'ended_in')

const noteMembers = alike('id', 'at', 'text', 'ref', 'projects', 'noted_at', 'noted_by', 'noted_as', 'noted_in')

const approvedMembers = alike('approval_id', 'kind', 'uid', 'name', 'body', 'seal_key_id')

const revocationMembers = alike('id', 'revoked_at', 'revoked_by', 'revoked_as', 'revoked_in')

const checkpointMembers = alike('id', 'made_at', 'tool_version', 'options', 'runs')

const checkpointLinkMembers = alike('run', 'state_digest')

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

/** Approvals, acceptances, revocations and notes between runs, by the run committed after them, and the ends that it decided. */
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
    notes: { from: 'hookdrift.recorded_note', members: noteMembers, where: isBy('noted_in'), order: 'id' },
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
export type PartDigests = ReadonlyMap<string, string | undefined>

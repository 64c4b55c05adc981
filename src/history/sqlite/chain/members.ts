import type { Members } from './digest-rows.ts'

// What the chain covers of each row. The names are the chain's own and never change, so that every link made so far can
// be verified: a column that is renamed, or a backend that stores rows its own way, changes the right side only.

/** Members that are called as their columns are. */
function alike(...names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, name]))
}

export const runMembers: Members = {
  ...alike('number', 'started_at', 'finished_at', 'exit_code', 'fail_on', 'tool_version', 'policy_digest'),
  ...alike('configuration_digest', 'seal_key_id', 'version_floor', 'violation_floor', 'rules_document'),
  ...alike('projects_document', 'former_chain'),
  // In the chain's words, a committed run is sealed.
  state: "iif(state = 'committed', 'sealed', state)",
  normaliser: 'normal_form_version',
}

export const projectMembers = alike('id', 'service', 'uid')

export const scanMembers = alike('project_id', 'run', 'name')

/** Of `scan s JOIN walk w`. */
export const walkMembers: Members = {
  ...{ project_id: 'w.project_id', run: 'w.run', project: 's.name' },
  ...alike('listing', 'status', 'reason', 'filter', 'pages', 'items', 'requests', 'retries', 'duration_ms', 'shape'),
}

/** A body is covered by its digest, which stands beside it; where a version ends, by the run that ends it. */
export const versionMembers: Members = {
  ...alike('id', 'project_id', 'kind', 'uid', 'from_run', 'replaces', 'name', 'digest'),
  normaliser: 'normal_form_version',
}

export const unreferencedMembers = alike('project_id', 'kind', 'uid', 'from_run')

export const changeMembers = alike(
  ...['id', 'run', 'project_id', 'kind', 'uid', 'name', 'change', 'fields', 'referrers'],
)

export const violationMembers: Members = {
  ...alike('id', 'fingerprint', 'project_id', 'kind', 'uid', 'rule', 'path', 'state', 'severity', 'name', 'message'),
  ...alike('from_run', 'first_run', 'last_run', 'replaces', 'waiver'),
}

export const endMembers = alike('id', 'to_run')

export const noticeMembers = alike('run', 'project_id', 'listing', 'text')

export const withheldMembers = alike('project_id', 'listing', 'run', 'uids')

export const approvalMembers: Members = {
  ...alike('id', 'project_id', 'project', 'run', 'note', 'approved_at', 'approved_by', 'approved_in'),
  looks: 'scopes',
}

export const approvedMembers = alike('approval_id', 'kind', 'uid', 'name', 'body', 'seal_key_id')

export const revocationMembers = alike('id', 'revoked_at', 'revoked_by', 'revoked_in')

export const checkpointMembers = alike('id', 'made_at', 'reason', 'tool_version', 'options', 'runs')

export const checkpointLinkMembers: Members = { run: 'run', carried: 'state_digest' }

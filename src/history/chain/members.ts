import type { DigestMembers } from './digested-rows.ts'

// What the chain covers of each row. The names on the left are the chain's own: once released they never change, so that
// old links still verify, and a renamed column changes the right side only. Both engines execute it.

/** Members with the names of their columns. */
function alike<const Name extends string>(...names: readonly Name[]): { readonly [Member in Name]: string } {
  // fromEntries forgets which names the keys are.
  return Object.fromEntries(names.map((name) => [name, name])) as { [Member in Name]: string & Name }
}

export const runMembers: DigestMembers = {
  ...alike('number', 'started_at', 'finished_at', 'exit_code', 'fail_on', 'tool_version', 'policy_digest'),
  ...alike('configuration_digest', 'seal_key_id', 'version_floor', 'violation_floor', 'rules_document'),
  ...alike('projects_document', 'state', 'normal_form_version'),
}

export const projectMembers = alike('id', 'service', 'uid')

export const scanMembers = alike('project_id', 'run', 'name')

/** Of `scan s JOIN walk w`. */
export const walkMembers: DigestMembers = {
  ...{ project_id: 'w.project_id', run: 'w.run', project: 's.name' },
  ...alike('listing', 'status', 'cause', 'reason', 'filter', 'pages', 'items', 'requests', 'retries', 'duration_ms'),
  ...alike('shape', 'total', 'oldest_at'),
}

/** The body is covered by its digest, and the end of a version by the run that ends it. */
export const versionMembers = {
  ...alike('id', 'project_id', 'kind', 'uid', 'from_run', 'replaces', 'normal_form_version', 'name', 'digest'),
} as const satisfies DigestMembers

export const unreferencedMembers = alike('project_id', 'kind', 'uid', 'from_run')

export const changeMembers = alike('id', 'run', 'project_id', 'kind', 'uid', 'name', 'change', 'fields', 'referrers')

export const violationMembers = {
  ...alike('id', 'fingerprint', 'project_id', 'kind', 'uid', 'rule', 'path', 'state', 'severity', 'name', 'message'),
  ...alike('from_run', 'first_run', 'last_run', 'replaces', 'waiver', 'origin_run'),
} as const satisfies DigestMembers

export const endMembers = alike('id', 'to_run')

export const endedViolationMembers = alike('id', 'to_run', 'resolution', 'ended_by')

export const noticeMembers = alike('run', 'number', 'code', 'project_id', 'listing', 'text')

export const withheldMembers = alike('project_id', 'listing', 'run', 'uids')

export const approvalMembers = alike(
  ...['id', 'project_id', 'project', 'run', 'scopes', 'note', 'approved_at', 'approved_by', 'approved_as'],
  ...['approved_in', 'amendments'],
)

export const acceptanceMembers = alike(
  ...['id', 'project_id', 'project', 'fingerprint', 'rule', 'kind', 'uid', 'path', 'reason'],
  ...['value_digest', 'accepted_at', 'accepted_by', 'accepted_as', 'accepted_in'],
)

export const endedAcceptanceMembers = alike('id', 'ended_at', 'ended_by', 'ended_in')

export const approvedMembers = alike('approval_id', 'kind', 'uid', 'name', 'body', 'seal_key_id')

export const revocationMembers = alike('id', 'revoked_at', 'revoked_by', 'revoked_as', 'revoked_in')

export const checkpointMembers = alike('id', 'made_at', 'tool_version', 'options', 'runs')

export const checkpointLinkMembers = alike('run', 'state_digest')

/** Statements with a name that is not there, and the name that was probably meant. In both databases. */
export const unknownNames: readonly (readonly [sql: string, meant: string | undefined, advice: RegExp])[] = [
  ['SELECT * FROM violations', 'open_violation', /^the views are committed_run, .*, baseline\n/],
  ['SELECT * FROM open_violatoin', 'open_violation', /^the views are /],
  ['SELECT * FROM resources', 'current_resource', /^the views are /],
  ['SELECT * FROM runs', 'committed_run', /^the views are /],
  ['SELECT * FROM waivers', 'waived_violation', /^the views are /],
  ['SELECT * FROM acceptances', 'accepted_violation', /^the views are /],
  ['SELECT * FROM approvals', 'baseline', /^the views are /],
  ['SELECT * FROM changes', 'drift', /^the views are /],
  ['SELECT * FROM endpoints', 'current_resource', /^the views are /],
  ['SELECT * FROM nowhere', undefined, /^the views are /],
  ['SELECT ownr FROM open_violation', 'owner', /^open_violation has fingerprint, rule, .*, waiver\n/],
  ['SELECT v.owner_id FROM open_violation v', 'owner', /^open_violation has /],
  ['SELECT project_name FROM Drift', 'project', /^drift has run, /],
  ['SELECT owner FROM committed_run', undefined, /^committed_run has number, .*, chain\n/],
]

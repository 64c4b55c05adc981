const toViews = /^`hookdrift query --views` lists /

/** Statements with a name that is not there, the name that was probably meant, and the advice. */
export const unknownNames: readonly (readonly [sql: string, meant: string | undefined, advice: RegExp])[] = [
  ['SELECT * FROM violations', 'open_violation', toViews],
  ['SELECT * FROM open_violatoin', 'open_violation', toViews],
  ['SELECT * FROM resources', 'current_resource', toViews],
  ['SELECT * FROM runs', 'committed_run', toViews],
  ['SELECT * FROM waivers', 'waived_violation', toViews],
  ['SELECT * FROM acceptances', 'accepted_violation', toViews],
  ['SELECT * FROM approvals', 'baseline', toViews],
  ['SELECT * FROM changes', 'drift', toViews],
  ['SELECT * FROM endpoints', 'current_resource', toViews],
  ['SELECT * FROM nowhere', undefined, /^the views are committed_run, .*, baseline$/],
  ['SELECT ownr FROM open_violation', 'owner', toViews],
  ['SELECT v.owner_id FROM open_violation v', 'owner', toViews],
  ['SELECT project_name FROM Drift', 'project', toViews],
  ['SELECT owner FROM committed_run', undefined, /^committed_run has number, .*, chain$/],
]

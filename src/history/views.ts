/** What the views are for. Their names and columns are stable: later versions only add some. */
export const views: Readonly<Record<string, string>> = {
  committed_run: 'runs, with the digests of the policy and configuration that they used',
  run_coverage: 'what each walk of each run proved, why not more (cause, reason), and what it cost',
  current_resource:
    'every resource as the last committed run left it: endpoints, subscriptions, sources and the others',
  resource_at: 'every resource as of every run: name the run, as in WHERE run = 17',
  drift: 'what changed, run by run; fields is a list of {path, before, after}',
  open_violation:
    "active violations that no waiver accepts; 'unknown' ones are among them, because what could not be scanned is not fixed",
  active_violation:
    "violations that had not ended by the last committed run; state is open, waived, or unknown: no scan since last_seen could evaluate the 'unknown' ones",
  waived_violation:
    'violations that a waiver of the policy accepts (is_active is 1), or accepted; each version of the two has a row',
  accepted_violation:
    'violations that people accepted, as last seen; is_active is 1 until a person revokes the acceptance, or a run ends it (ended_by)',
  note: 'what people did, by their own account; projects is a list of service/project, empty where it is about all',
  violation_history:
    "violations that ended, after how many seconds (open_seconds), and how: 'fixed' and 'removed' ones are gone; for all others ended_by says who or what ended them",
  run_rule: 'the rules of each run',
  baseline:
    'states that a person approved, revoked approvals too; drift rules compare with the one where is_active is 1; where confirms is not null, the person confirmed what that approval had approved; approves lists resources whose approved state it changed, null: all',
}

-- What chooses and orders active violations lies in one index, so that a list of the first ones reads no other row; and
-- those of a project that ended after its last scan are found without reading all that it ever had.

DROP INDEX violation_standing;
CREATE INDEX violation_standing
  ON violation (project_id, kind, uid, rule, path, severity, state, first_run, from_run, waiver) WHERE to_run IS NULL;
CREATE INDEX violation_ended_in_project ON violation (project_id, to_run) WHERE to_run IS NOT NULL;

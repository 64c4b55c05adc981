-- What chooses and orders active violations lies in one index, so that a list of the first ones reads no other row; and
-- those of a project that ended after its last scan are found without reading all that it ever had. to_run is always NULL
-- in the first index, but SQLite reads the row of what asks for it unless it is a column.

DROP INDEX violation_standing;
CREATE INDEX violation_standing
  ON violation (project_id, kind, uid, rule, path, severity, state, first_run, from_run, waiver, to_run)
  WHERE to_run IS NULL;
CREATE INDEX violation_ended_in_project ON violation (project_id, to_run) WHERE to_run IS NOT NULL;

-- A chain of digests over sealed runs, and room for pruning old ones.

-- One row for each time that runs left the chain: older runs at the upgrade that brought it, pruned ones since.
CREATE TABLE checkpoint (
  id           INTEGER PRIMARY KEY,
  made_at      TEXT NOT NULL,
  reason       TEXT NOT NULL CHECK (reason IN ('upgrade', 'prune')),
  tool_version TEXT NOT NULL,
  options      TEXT,          -- JSON: what was to be kept; NULL at an upgrade
  runs         TEXT NOT NULL, -- JSON: [[first, last], …] of the runs that were pruned
  carried      TEXT NOT NULL, -- digest of this row, those before it, and all that stands of runs outside the chain
  run          INTEGER        -- the run sealed next, whose link covers this row
) STRICT;
CREATE INDEX checkpoint_of_run ON checkpoint (run);

-- `run` again, with a state for runs of which only what others need is left, and with its link of the chain.
CREATE TEMP TABLE run_before AS SELECT * FROM run;
DROP TABLE run;
CREATE TABLE run (
  number               INTEGER PRIMARY KEY,
  state                TEXT NOT NULL CHECK (state IN ('running', 'sealed', 'interrupted', 'pruned')),
  started_at           TEXT NOT NULL,
  finished_at          TEXT,
  exit_code            INTEGER,
  fail_on              TEXT NOT NULL,
  tool_version         TEXT NOT NULL,
  policy_digest        TEXT NOT NULL,
  configuration_digest TEXT NOT NULL,
  seal_key_id          TEXT NOT NULL,  -- which installation key sealed what this run wrote
  version_floor        INTEGER NOT NULL, -- rows of this run have greater ids: how a draft is found
  violation_floor      INTEGER NOT NULL,
  rules_document       TEXT REFERENCES document (sha256), -- the rules in force
  projects_document    TEXT REFERENCES document (sha256), -- where each project is configured, and how much of it was judged
  previous             TEXT, -- chain of the sealed run before this one; NULL where the chain starts
  parts                TEXT, -- JSON: digest of this run's rows, by what they are
  chain                TEXT  -- digest of previous and parts; NULL for runs sealed before there was a chain
) STRICT;
INSERT INTO run (number, state, started_at, finished_at, exit_code, fail_on, tool_version, policy_digest,
                 configuration_digest, seal_key_id, version_floor, violation_floor, rules_document, projects_document)
  SELECT number, state, started_at, finished_at, exit_code, fail_on, tool_version, policy_digest,
         configuration_digest, seal_key_id, version_floor, violation_floor, rules_document, projects_document
  FROM run_before;
DROP TABLE run_before;

-- What a run began and ended is found by the run: to seal it, to verify it, and to see what still needs it.
CREATE INDEX version_began ON version (from_run);
CREATE INDEX unreferenced_began ON unreferenced (from_run);
CREATE INDEX unreferenced_ended ON unreferenced (to_run) WHERE to_run IS NOT NULL;
CREATE INDEX violation_began ON violation (from_run);
CREATE INDEX violation_opened ON violation (first_run);
CREATE INDEX violation_last_seen ON violation (last_run) WHERE last_run IS NOT NULL;

DROP VIEW sealed_run;
CREATE VIEW sealed_run AS
  SELECT number, started_at, finished_at, exit_code, fail_on, tool_version, policy_digest, configuration_digest, chain
  FROM run WHERE state = 'sealed';

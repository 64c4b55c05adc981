-- What an earlier version kept in clear is sealed in the rows that it wrote: a step of the program does it with this one
-- (src/history/sqlite/reseal). Runs whose rows are rewritten leave the chain, as pruned ones do.

-- `checkpoint` again, with a reason for it.
CREATE TEMP TABLE checkpoint_before AS SELECT * FROM checkpoint;
DROP TABLE checkpoint;
CREATE TABLE checkpoint (
  id           INTEGER PRIMARY KEY,
  made_at      TEXT NOT NULL,
  reason       TEXT NOT NULL CHECK (reason IN ('upgrade', 'prune', 'reseal')),
  tool_version TEXT NOT NULL,
  options      TEXT,          -- JSON: what was to be kept; NULL unless runs were pruned
  runs         TEXT NOT NULL, -- JSON: [[first, last], …] of the runs that were pruned
  carried      TEXT NOT NULL, -- digest of this row, those before it, and all that stands of runs outside the chain
  run          INTEGER,       -- the run sealed next, whose link covers this row
  rewritten_at TEXT           -- when the file was written anew after a reseal, so that nothing is left in free pages
) STRICT;
INSERT INTO checkpoint (id, made_at, reason, tool_version, options, runs, carried, run)
  SELECT id, made_at, reason, tool_version, options, runs, carried, run FROM checkpoint_before;
DROP TABLE checkpoint_before;
CREATE INDEX checkpoint_of_run ON checkpoint (run);

ALTER TABLE run ADD COLUMN former_chain TEXT; -- its link before its rows were resealed: attestations of then name it
-- What a run saw unchanged is in its normal form, whichever the version was written in.
ALTER TABLE run ADD COLUMN normaliser INTEGER; -- NULL for runs of before

-- The policy is looked at by every run, so it is there from the first one on.
INSERT INTO project (service, uid)
  SELECT '', 'policy' WHERE EXISTS (SELECT 1 FROM run)
  AND NOT EXISTS (SELECT 1 FROM project WHERE service = '' AND uid = 'policy');

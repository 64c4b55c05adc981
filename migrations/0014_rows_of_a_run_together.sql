-- Scans and walks by run first: what a run writes of them lies together, so a run of an old history writes as few pages as
-- one of a young history.

CREATE TEMP TABLE scan_before AS SELECT * FROM scan;
CREATE TEMP TABLE walk_before AS SELECT * FROM walk;
DROP TABLE walk;
DROP TABLE scan;

-- Which projects a run scanned, under the name that each was configured with. The policy is one of them: it has no walks.
CREATE TABLE scan (
  run        INTEGER NOT NULL REFERENCES run,
  project_id INTEGER NOT NULL REFERENCES project,
  name       TEXT NOT NULL,  -- service/project
  PRIMARY KEY (run, project_id)
) STRICT, WITHOUT ROWID;
INSERT INTO scan (run, project_id, name) SELECT run, project_id, name FROM scan_before ORDER BY run, project_id;
DROP TABLE scan_before;
CREATE INDEX scan_of_project ON scan (project_id, run);

-- What each walk of a scan proved.
CREATE TABLE walk (
  run         INTEGER NOT NULL,
  project_id  INTEGER NOT NULL,
  listing     TEXT NOT NULL,
  status      TEXT NOT NULL CHECK (status IN ('complete', 'partial', 'failed', 'suspect', 'skipped')),
  cause       TEXT,           -- why it is not complete, as a code; NULL when it is
  reason      TEXT,           -- the same as a sentence
  filter      TEXT,           -- what the walk was narrowed to; NULL when it was not
  pages       INTEGER NOT NULL,
  items       INTEGER NOT NULL,
  requests    INTEGER NOT NULL,
  retries     INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  shape       TEXT,           -- fields that every item showed, where they differ from those of the walks before
  PRIMARY KEY (run, project_id, listing),
  FOREIGN KEY (run, project_id) REFERENCES scan
) STRICT, WITHOUT ROWID;
INSERT INTO walk (run, project_id, listing, status, cause, reason, filter, pages, items, requests, retries, duration_ms,
                  shape)
  SELECT run, project_id, listing, status, cause, reason, filter, pages, items, requests, retries, duration_ms, shape
  FROM walk_before ORDER BY run, project_id, listing;
DROP TABLE walk_before;
-- Few walks have one.
CREATE INDEX walk_with_shape ON walk (project_id, listing, run) WHERE shape IS NOT NULL;

-- The first complete walk of each listing of a project. Without one, no run searches the scans of a project for the last.
CREATE TABLE first_complete_walk (
  project_id INTEGER NOT NULL REFERENCES project,
  listing    TEXT NOT NULL,
  run        INTEGER NOT NULL, -- no reference: it may be pruned
  PRIMARY KEY (project_id, listing)
) STRICT, WITHOUT ROWID;
INSERT INTO first_complete_walk (project_id, listing, run)
  SELECT w.project_id, w.listing, min(w.run) FROM walk w JOIN run r ON r.number = w.run AND r.state IN ('committed', 'pruned')
  WHERE w.status = 'complete' GROUP BY w.project_id, w.listing;

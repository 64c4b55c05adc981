-- A violation of a drift rule stays open until the value is back, so it names the run whose scan showed the value before
-- the change. A violation that ended says why. A person can accept a violation.

ALTER TABLE violation ADD COLUMN origin_run INTEGER REFERENCES run;
ALTER TABLE violation ADD COLUMN resolution TEXT -- NULL while it is active, once it is replaced, and before schema 12
  CHECK (resolution IN ('fixed', 'removed', 'policy', 'accepted', 'expired'));

-- Active ones were opened by comparing with the last complete walk of their listing.
UPDATE violation SET origin_run = (
  SELECT max(w.run) FROM walk w
  WHERE w.project_id = violation.project_id AND w.status = 'complete' AND w.run < violation.first_run
    AND w.listing = CASE violation.kind WHEN 'project' THEN 'project' ELSE violation.kind || 's' END)
WHERE to_run IS NULL AND rule LIKE 'drift/%' AND rule NOT IN ('drift/flapping', 'drift/unexpected');

CREATE TABLE acceptance (
  id          INTEGER PRIMARY KEY,
  project_id  INTEGER NOT NULL REFERENCES project,
  project     TEXT NOT NULL,    -- service/project, as configured at the time
  fingerprint TEXT NOT NULL,
  rule        TEXT NOT NULL,
  kind        TEXT NOT NULL,
  uid         TEXT NOT NULL,
  path        TEXT NOT NULL,
  reason      TEXT NOT NULL,
  accepted_at TEXT NOT NULL,
  accepted_by TEXT NOT NULL,
  accepted_in INTEGER,          -- the run that was committed after it
  revoked_at  TEXT,
  revoked_by  TEXT,
  revoked_in  INTEGER
) STRICT;
CREATE INDEX acceptance_of_project ON acceptance (project_id, fingerprint);

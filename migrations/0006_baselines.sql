-- States of projects that people approved. The last approval of a project holds, unless it was revoked; rows are
-- added and revoked, never deleted. A run that one names must be kept.
CREATE TABLE approval (
  id          INTEGER PRIMARY KEY,
  project_id  INTEGER NOT NULL REFERENCES project,
  project     TEXT NOT NULL,  -- service/project, as configured at the time
  run         INTEGER REFERENCES run, -- whose state it is; NULL when it was imported: see approved_resource
  looks       TEXT NOT NULL,  -- {kind: {listing, filter}}: what the state speaks of
  note        TEXT NOT NULL,
  approved_at TEXT NOT NULL,
  approved_by TEXT NOT NULL,
  revoked_at  TEXT,
  revoked_by  TEXT
) STRICT;
CREATE INDEX approval_of_project ON approval (project_id, id);

-- The resources of an imported state.
CREATE TABLE approved_resource (
  approval_id INTEGER NOT NULL REFERENCES approval,
  kind        TEXT NOT NULL,
  uid         TEXT NOT NULL,
  name        TEXT NOT NULL,
  body        TEXT NOT NULL,
  seal_key_id TEXT NOT NULL,  -- which installation key sealed it
  PRIMARY KEY (approval_id, kind, uid)
) STRICT, WITHOUT ROWID;

-- What a walk missed and was not believed: its status is suspect. uids is a JSON list.
CREATE TABLE held (
  project_id INTEGER NOT NULL REFERENCES project,
  listing    TEXT NOT NULL,
  run        INTEGER NOT NULL REFERENCES run,
  uids       TEXT NOT NULL,
  PRIMARY KEY (project_id, listing, run)
) STRICT, WITHOUT ROWID;

-- Who approved what, and what holds now.
CREATE VIEW baseline AS
  SELECT a.id, p.service, p.uid AS project_uid, a.project, a.run, a.note, a.approved_at, a.approved_by, a.revoked_at,
         a.revoked_by, a.revoked_at IS NULL AND a.id = (SELECT max(b.id) FROM approval b
           WHERE b.project_id = a.project_id) AS holds
  FROM approval a JOIN project p ON p.id = a.project_id;

-- The history of audits. Only changes are written: a version or a violation is valid from one run up to, not
-- including, another (to_run NULL = still). Rows of a run that is not sealed exist and are invisible: every view asks
-- for sealed runs only. Times are ISO 8601 in UTC, bodies and lists are JSON text, digests are SHA-256 in hex.

CREATE TABLE migration (
  version    INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  sha256     TEXT NOT NULL,
  applied_at TEXT NOT NULL
) STRICT;

-- Who may write. One row at most: a run holds it from its start to its end and renews the heartbeat meanwhile.
CREATE TABLE lease (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  token        INTEGER NOT NULL,
  host         TEXT NOT NULL,
  boot_id      TEXT NOT NULL,
  pid          INTEGER NOT NULL,
  taken_at     TEXT NOT NULL,
  heartbeat_at TEXT NOT NULL
) STRICT;

CREATE TABLE run (
  number               INTEGER PRIMARY KEY,
  state                TEXT NOT NULL CHECK (state IN ('running', 'sealed', 'interrupted')),
  started_at           TEXT NOT NULL,
  finished_at          TEXT,
  exit_code            INTEGER,
  fail_on              TEXT NOT NULL,
  tool_version         TEXT NOT NULL,
  policy_digest        TEXT NOT NULL,
  configuration_digest TEXT NOT NULL,
  seal_key_id          TEXT NOT NULL,  -- which installation key sealed what this run wrote
  version_floor        INTEGER NOT NULL, -- rows of this run have greater ids: how a draft is found
  violation_floor      INTEGER NOT NULL
) STRICT;

CREATE TABLE project (
  id      INTEGER PRIMARY KEY,
  service TEXT NOT NULL,
  uid     TEXT NOT NULL,  -- the service's identifier
  UNIQUE (service, uid)
) STRICT;

-- What each walk of a run proved.
CREATE TABLE walk (
  project_id  INTEGER NOT NULL REFERENCES project,
  listing     TEXT NOT NULL,
  run         INTEGER NOT NULL REFERENCES run,
  project     TEXT NOT NULL,  -- service/project, as configured at the time
  status      TEXT NOT NULL CHECK (status IN ('complete', 'partial', 'failed', 'suspect', 'skipped')),
  reason      TEXT,
  filter      TEXT,           -- what the walk was narrowed to; NULL when it was not
  pages       INTEGER NOT NULL,
  items       INTEGER NOT NULL,
  requests    INTEGER NOT NULL,
  retries     INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  shape       TEXT,           -- fields that every item showed, where they are others than the walks before showed
  PRIMARY KEY (project_id, listing, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX walk_of_run ON walk (run);

CREATE TABLE version (
  id         INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES project,
  kind       TEXT NOT NULL,
  uid        TEXT NOT NULL,
  from_run   INTEGER NOT NULL REFERENCES run,
  to_run     INTEGER REFERENCES run,
  replaces   INTEGER,         -- id of the version that this one follows
  normaliser INTEGER NOT NULL, -- version of the normal form
  name       TEXT NOT NULL,
  digest     TEXT NOT NULL,   -- of body, then facts
  body       TEXT NOT NULL,
  facts      TEXT NOT NULL    -- what is known of sealed values, by JSON Pointer; '' when nothing is
) STRICT;
CREATE INDEX version_of_resource ON version (project_id, kind, uid, from_run);

-- Sources and devices that no subscription refers to any more, where they are not listed themselves.
CREATE TABLE unreferenced (
  project_id INTEGER NOT NULL REFERENCES project,
  kind       TEXT NOT NULL,
  uid        TEXT NOT NULL,
  from_run   INTEGER NOT NULL REFERENCES run,
  to_run     INTEGER REFERENCES run,
  PRIMARY KEY (project_id, kind, uid, from_run)
) STRICT, WITHOUT ROWID;

CREATE TABLE change (
  id         INTEGER PRIMARY KEY,
  run        INTEGER NOT NULL REFERENCES run,
  project_id INTEGER NOT NULL REFERENCES project,
  kind       TEXT NOT NULL,
  uid        TEXT NOT NULL,
  name       TEXT NOT NULL,
  change     TEXT NOT NULL CHECK (change IN ('added', 'removed', 'modified')),
  fields     TEXT NOT NULL,   -- [{path, before, after}]
  referrers  TEXT             -- uids of the subscriptions that use it, for a changed source
) STRICT;
CREATE INDEX change_of_run ON change (run);
CREATE INDEX change_of_resource ON change (project_id, kind, uid);

CREATE TABLE violation (
  id          INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  project_id  INTEGER NOT NULL REFERENCES project,
  kind        TEXT NOT NULL,
  uid         TEXT NOT NULL,
  rule        TEXT NOT NULL,
  path        TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('open', 'unknown', 'waived')),
  severity    TEXT NOT NULL,
  name        TEXT NOT NULL,
  message     TEXT NOT NULL,
  from_run    INTEGER NOT NULL REFERENCES run,
  to_run      INTEGER REFERENCES run,
  first_run   INTEGER NOT NULL REFERENCES run,
  last_run    INTEGER REFERENCES run, -- when it was last seen; NULL while every look sees it
  replaces    INTEGER
) STRICT;
CREATE INDEX violation_standing ON violation (project_id, kind, uid) WHERE to_run IS NULL;
CREATE INDEX violation_ended ON violation (to_run) WHERE to_run IS NOT NULL;
CREATE INDEX violation_replaces ON violation (replaces) WHERE replaces IS NOT NULL;

CREATE TABLE notice (
  run        INTEGER NOT NULL REFERENCES run,
  project_id INTEGER NOT NULL REFERENCES project,
  listing    TEXT NOT NULL,
  text       TEXT NOT NULL
) STRICT;
CREATE INDEX notice_of_run ON notice (run);

-- For plain sqlite3. Stable: names may be added, not changed.

CREATE VIEW sealed_run AS
  SELECT number, started_at, finished_at, exit_code, fail_on, tool_version, policy_digest, configuration_digest
  FROM run WHERE state = 'sealed';

-- Runs with what each of their walks proved.
CREATE VIEW run_coverage AS
  SELECT r.number AS run, r.started_at, r.exit_code, w.project, w.listing, w.status, w.reason, w.filter, w.pages, w.items,
         w.requests, w.retries, w.duration_ms
  FROM sealed_run r JOIN walk w ON w.run = r.number;

-- Every resource as of every run: filter by run, e.g. WHERE run = 17.
CREATE VIEW resource_at AS
  SELECT r.number AS run, p.service, p.uid AS project_uid, v.kind, v.uid, v.name, v.from_run, v.body, v.facts
  FROM sealed_run r
  JOIN version v ON v.from_run <= r.number AND (v.to_run IS NULL OR v.to_run > r.number)
  JOIN project p ON p.id = v.project_id;

-- Every resource as the last sealed run left it.
CREATE VIEW current_resource AS
  SELECT service, project_uid, kind, uid, name, from_run, body, facts
  FROM resource_at WHERE run = (SELECT max(number) FROM sealed_run);

-- What changed, run by run.
CREATE VIEW drift AS
  SELECT c.run, r.started_at, p.service, p.uid AS project_uid, c.kind, c.uid, c.name, c.change, c.fields, c.referrers
  FROM change c JOIN sealed_run r ON r.number = c.run JOIN project p ON p.id = c.project_id;

-- Violations that stand as of the last sealed run; 'unknown' ones were not looked at since last_seen.
CREATE VIEW open_violation AS
  SELECT x.fingerprint, x.rule, x.severity, x.state, p.service, p.uid AS project_uid, x.kind, x.uid, x.name, x.path,
         x.message, f.started_at AS first_seen,
         (SELECT l.started_at FROM run l WHERE l.number = ifnull(x.last_run,
            (SELECT max(w.run) FROM walk w JOIN sealed_run s ON s.number = w.run
             WHERE w.project_id = x.project_id AND w.listing = 'endpoints'))) AS last_seen
  FROM violation x JOIN project p ON p.id = x.project_id JOIN run f ON f.number = x.first_run
  WHERE x.from_run <= (SELECT max(number) FROM sealed_run)
    AND (x.to_run IS NULL OR x.to_run > (SELECT max(number) FROM sealed_run));

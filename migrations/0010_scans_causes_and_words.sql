-- What was read out of other rows or out of sentences gets a place of its own: that a project was scanned, why a walk is not
-- complete, what a notice is about. Columns, states and views get the words of the glossary. A step of the program names the
-- causes and codes of rows that are there (src/history/sqlite/upgrade). Links made so far stay: the chain has names of its own
-- (src/history/sqlite/chain/parts.ts).

DROP VIEW sealed_run;
DROP VIEW run_coverage;
DROP VIEW resource_at;
DROP VIEW current_resource;
DROP VIEW drift;
DROP VIEW open_violation;
DROP VIEW run_rule;
DROP VIEW baseline;

-- `run` again, with the states that runs have now.
CREATE TEMP TABLE run_before AS SELECT * FROM run;
DROP TABLE run;
CREATE TABLE run (
  number               INTEGER PRIMARY KEY,
  state                TEXT NOT NULL CHECK (state IN ('running', 'committed', 'interrupted', 'pruned')),
  started_at           TEXT NOT NULL,
  finished_at          TEXT,
  exit_code            INTEGER,
  fail_on              TEXT NOT NULL,
  tool_version         TEXT NOT NULL,
  policy_digest        TEXT NOT NULL,
  configuration_digest TEXT NOT NULL,
  seal_key_id          TEXT NOT NULL,    -- which installation key sealed the secrets that this run wrote
  normal_form_version  INTEGER,          -- of the resources that it saw; NULL for runs before schema 9
  version_floor        INTEGER NOT NULL, -- rows of this run have greater ids: how a draft is found
  violation_floor      INTEGER NOT NULL,
  rules_document       TEXT REFERENCES document (sha256), -- the rules in force
  projects_document    TEXT REFERENCES document (sha256), -- where each project is configured, and how much of it was evaluated
  previous             TEXT,    -- chain of the committed run before this one; NULL where the chain starts
  part_digests         TEXT,    -- JSON: digest of this run's rows, by what they are
  chain                TEXT,    -- digest of previous and part_digests; NULL for runs outside the chain
  chain_version        INTEGER, -- which members of rows the digests cover; NULL for runs outside the chain
  former_chain         TEXT     -- its link before its rows were resealed: attestations of then name it
) STRICT;
INSERT INTO run (number, state, started_at, finished_at, exit_code, fail_on, tool_version, policy_digest,
                 configuration_digest, seal_key_id, normal_form_version, version_floor, violation_floor, rules_document,
                 projects_document, previous, part_digests, chain, chain_version, former_chain)
  SELECT number, iif(state = 'sealed', 'committed', state), started_at, finished_at, exit_code, fail_on, tool_version,
         policy_digest, configuration_digest, seal_key_id, normaliser, version_floor, violation_floor, rules_document,
         projects_document, previous, parts, chain, iif(chain IS NULL, NULL, 1), former_chain
  FROM run_before;
DROP TABLE run_before;

-- Which projects a run scanned, under the name that each was configured with. The policy is one of them: it has no walks.
CREATE TABLE scan (
  project_id INTEGER NOT NULL REFERENCES project,
  run        INTEGER NOT NULL REFERENCES run,
  name       TEXT NOT NULL,  -- service/project
  PRIMARY KEY (project_id, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX scan_of_run ON scan (run);
INSERT INTO scan (project_id, run, name) SELECT project_id, run, max(project) FROM walk GROUP BY project_id, run;

-- `walk` again, as part of a scan. A scan of the policy was told by a walk that never was.
CREATE TEMP TABLE walk_before AS SELECT * FROM walk;
DROP TABLE walk;
CREATE TABLE walk (
  project_id  INTEGER NOT NULL,
  listing     TEXT NOT NULL,
  run         INTEGER NOT NULL,
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
  PRIMARY KEY (project_id, listing, run),
  FOREIGN KEY (project_id, run) REFERENCES scan
) STRICT, WITHOUT ROWID;
INSERT INTO walk (project_id, listing, run, status, reason, filter, pages, items, requests, retries, duration_ms, shape)
  SELECT project_id, listing, run, status, reason, filter, pages, items, requests, retries, duration_ms, shape
  FROM walk_before WHERE project_id NOT IN (SELECT id FROM project WHERE service = '' AND uid = 'policy');
DROP TABLE walk_before;
CREATE INDEX walk_of_run ON walk (run);

-- `notice` again, with what it is about.
CREATE TEMP TABLE notice_before AS SELECT rowid AS id, * FROM notice;
DROP TABLE notice;
CREATE TABLE notice (
  run        INTEGER NOT NULL REFERENCES run,
  number     INTEGER NOT NULL,           -- from 1, in the order in which the run wrote them
  code       TEXT NOT NULL,
  project_id INTEGER REFERENCES project, -- NULL when it is about the run
  listing    TEXT,                       -- NULL when it is not about one; of version 1 of the chain, where it was filed
  text       TEXT NOT NULL,
  PRIMARY KEY (run, number)
) STRICT;
INSERT INTO notice (run, number, code, project_id, listing, text)
  SELECT run, row_number() OVER (PARTITION BY run ORDER BY id), 'unspecified', project_id, listing, text FROM notice_before;
DROP TABLE notice_before;

ALTER TABLE version RENAME COLUMN normaliser TO normal_form_version;
ALTER TABLE approval RENAME COLUMN looks TO scopes;
ALTER TABLE checkpoint RENAME COLUMN carried TO state_digest;
ALTER TABLE checkpoint ADD COLUMN chain_version INTEGER NOT NULL DEFAULT 1; -- which members the digest covers
ALTER TABLE held RENAME TO withheld_removal;
ALTER TABLE untold RENAME TO unnotified_scan;

-- For plain sqlite3. Stable: names may be added, not changed.

CREATE VIEW committed_run AS
  SELECT number, started_at, finished_at, exit_code, fail_on, tool_version, policy_digest, configuration_digest, chain
  FROM run WHERE state = 'committed';

-- Runs with what each of their walks proved.
CREATE VIEW run_coverage AS
  SELECT r.number AS run, r.started_at, r.exit_code, s.name AS project, w.listing, w.status, w.cause, w.reason, w.filter,
         w.pages, w.items, w.requests, w.retries, w.duration_ms
  FROM committed_run r JOIN scan s ON s.run = r.number JOIN walk w ON w.project_id = s.project_id AND w.run = s.run;

-- Every resource as of every run: filter by run, e.g. WHERE run = 17.
CREATE VIEW resource_at AS
  SELECT r.number AS run, p.service, p.uid AS project_uid, v.kind, v.uid, v.name, v.from_run, v.body, v.facts
  FROM committed_run r
  JOIN version v ON v.from_run <= r.number AND (v.to_run IS NULL OR v.to_run > r.number)
  JOIN project p ON p.id = v.project_id;

-- Every resource as the last committed run left it.
CREATE VIEW current_resource AS
  SELECT service, project_uid, kind, uid, name, from_run, body, facts
  FROM resource_at WHERE run = (SELECT max(number) FROM committed_run);

-- What changed, run by run.
CREATE VIEW drift AS
  SELECT c.run, r.started_at, p.service, p.uid AS project_uid, c.kind, c.uid, c.name, c.change, c.fields, c.referrers
  FROM change c JOIN committed_run r ON r.number = c.run JOIN project p ON p.id = c.project_id;

-- Active violations as of the last committed run; no scan since last_seen could evaluate the 'unknown' ones.
CREATE VIEW open_violation AS
  SELECT x.fingerprint, x.rule, x.severity, x.state, p.service, p.uid AS project_uid, x.kind, x.uid, x.name, x.path,
         x.message, f.started_at AS first_seen,
         (SELECT l.started_at FROM run l WHERE l.number = ifnull(x.last_run,
            (SELECT max(s.run) FROM scan s JOIN committed_run c ON c.number = s.run
             WHERE s.project_id = x.project_id))) AS last_seen,
         x.waiver
  FROM violation x JOIN project p ON p.id = x.project_id JOIN run f ON f.number = x.first_run
  WHERE x.from_run <= (SELECT max(number) FROM committed_run)
    AND (x.to_run IS NULL OR x.to_run > (SELECT max(number) FROM committed_run));

-- The rules of each run.
CREATE VIEW run_rule AS
  SELECT r.number AS run, r.started_at, j.value ->> '$.id' AS rule, j.value ->> '$.kind' AS kind,
         j.value ->> '$.severity' AS severity, j.value ->> '$.title' AS title, j.value -> '$.controls' AS controls
  FROM run r JOIN document d ON d.sha256 = r.rules_document JOIN json_each(d.body) j
  WHERE r.state = 'committed';

-- Who approved what, and which approval drift rules compare with now.
CREATE VIEW baseline AS
  SELECT a.id, p.service, p.uid AS project_uid, a.project, a.run, a.note, a.approved_at, a.approved_by, a.revoked_at,
         a.revoked_by, a.revoked_at IS NULL AND a.id = (SELECT max(b.id) FROM approval b
           WHERE b.project_id = a.project_id) AS is_active
  FROM approval a JOIN project p ON p.id = a.project_id;

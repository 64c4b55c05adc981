-- The history of audits. Only changes are written: a version or a violation is valid from one run up to, not including,
-- another (to_run NULL: it still is). Rows of a run that is not committed exist and are invisible: every view asks for
-- committed runs only. Times are ISO 8601 in UTC, bodies and lists are JSON text, digests are SHA-256 in hex.

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

-- JSON texts that runs share, each once, by the SHA-256 of its text.
CREATE TABLE document (
  id     INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,
  body   TEXT NOT NULL
) STRICT;

-- Of a pruned run only what others need is left.
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
  normal_form_version  INTEGER NOT NULL, -- of the resources that it saw
  version_floor        INTEGER NOT NULL, -- rows of this run have greater ids: how a draft is found
  violation_floor      INTEGER NOT NULL,
  rules_document       TEXT REFERENCES document (sha256), -- the rules in force, what the policy leaves out, what the run was to cover
  previous             TEXT, -- chain of the committed run before this one; NULL where the chain starts
  part_digests         TEXT, -- JSON: digest of this run's rows, by what they are
  chain                TEXT  -- digest of previous and part_digests; NULL until it is committed, and once it is pruned
) STRICT;

CREATE TABLE project (
  id      INTEGER PRIMARY KEY,
  service TEXT NOT NULL,
  uid     TEXT NOT NULL,  -- the service's identifier
  UNIQUE (service, uid)
) STRICT;

-- Where a project is configured, and how much of it was evaluated, as reports name it: JSON that its scans share.
CREATE TABLE evaluation (
  id         INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES project,
  sha256     TEXT NOT NULL,
  body       TEXT NOT NULL,
  UNIQUE (project_id, sha256)
) STRICT;

-- Which projects a run scanned, under the name that each was configured with. The policy is one of them: it has no walks.
-- Scans and walks have the run first in their keys: what a run writes of them lies together.
CREATE TABLE scan (
  run        INTEGER NOT NULL REFERENCES run,
  project_id INTEGER NOT NULL REFERENCES project,
  name       TEXT NOT NULL,  -- service/project
  evaluation INTEGER,        -- NULL where nothing was evaluated, and of a pruned run; no reference, or each removal would read all scans
  PRIMARY KEY (run, project_id)
) STRICT, WITHOUT ROWID;
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
  total       INTEGER,        -- of filters: how many subscriptions were listed, where items counts those whose rows were read
  oldest_at   TEXT,           -- of filters: when the oldest rows were read
  since_run   INTEGER,        -- where it is not complete: the first run since when that is so, and its start
  since_at    TEXT,
  PRIMARY KEY (run, project_id, listing),
  FOREIGN KEY (run, project_id) REFERENCES scan
) STRICT, WITHOUT ROWID;
-- Few walks have one.
CREATE INDEX walk_with_shape ON walk (project_id, listing, run) WHERE shape IS NOT NULL;

-- What the last scan of a project leaves for the next one, as JSON. Derived: it saves work, and the chain does not cover it.
CREATE TABLE reading (
  project_id INTEGER NOT NULL REFERENCES project,
  name       TEXT NOT NULL,   -- filters: when rows were read; items: which version the bytes of an item became
  body       TEXT NOT NULL,
  PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;

-- The first complete walk of each listing of a project. Without one, no run searches the scans of a project for the last.
CREATE TABLE first_complete_walk (
  project_id INTEGER NOT NULL REFERENCES project,
  listing    TEXT NOT NULL,
  run        INTEGER NOT NULL, -- no reference: it may be pruned
  PRIMARY KEY (project_id, listing)
) STRICT, WITHOUT ROWID;

CREATE TABLE version (
  id                  INTEGER PRIMARY KEY,
  project_id          INTEGER NOT NULL REFERENCES project,
  kind                TEXT NOT NULL,
  uid                 TEXT NOT NULL,
  from_run            INTEGER NOT NULL REFERENCES run,
  to_run              INTEGER REFERENCES run,
  replaces            INTEGER,          -- id of the version that this one follows
  normal_form_version INTEGER NOT NULL, -- in which it was written
  name                TEXT NOT NULL,
  digest              TEXT NOT NULL,    -- of body, then facts
  body                TEXT NOT NULL,
  facts               TEXT NOT NULL,    -- what is known of sealed values, by JSON Pointer; '' when nothing is
  endpoint_uid        TEXT,             -- these out of the body, which the digest covers: to what a subscription refers,
  source_uid          TEXT,
  device_uid          TEXT,
  owner_id            TEXT              -- and who owns an endpoint
) STRICT;
-- With to_run in it, this index alone says which resources there were in a run.
CREATE INDEX version_of_resource ON version (project_id, kind, uid, from_run, to_run);
CREATE INDEX version_began ON version (from_run);
CREATE INDEX version_ended ON version (to_run) WHERE to_run IS NOT NULL;
-- Who refers to an endpoint, a source or a device: the uid as JSON text, as it stands in the body.
CREATE INDEX version_to_endpoint ON version (project_id, endpoint_uid) WHERE endpoint_uid IS NOT NULL;
CREATE INDEX version_to_source ON version (project_id, source_uid) WHERE source_uid IS NOT NULL;
CREATE INDEX version_to_device ON version (project_id, device_uid) WHERE device_uid IS NOT NULL;

-- Sources and devices that no subscription refers to any more, where they are not listed themselves.
CREATE TABLE unreferenced (
  project_id INTEGER NOT NULL REFERENCES project,
  kind       TEXT NOT NULL,
  uid        TEXT NOT NULL,
  from_run   INTEGER NOT NULL REFERENCES run,
  to_run     INTEGER REFERENCES run,
  PRIMARY KEY (project_id, kind, uid, from_run)
) STRICT, WITHOUT ROWID;
CREATE INDEX unreferenced_began ON unreferenced (from_run);
CREATE INDEX unreferenced_ended ON unreferenced (to_run) WHERE to_run IS NOT NULL;

CREATE TABLE change (
  id         INTEGER PRIMARY KEY,
  run        INTEGER NOT NULL REFERENCES run,
  project_id INTEGER NOT NULL REFERENCES project,
  kind       TEXT NOT NULL,
  uid        TEXT NOT NULL,
  name       TEXT NOT NULL,
  change     TEXT NOT NULL CHECK (change IN ('added', 'removed', 'modified')),
  fields     TEXT NOT NULL,   -- [{path, before, after}]
  referrers  TEXT,            -- uids of the subscriptions that use it, for a changed source
  after_at   TEXT,            -- it came about after this: start of the last complete scan before it
  before_at  TEXT,            -- end of an earlier, incomplete scan that saw it first; NULL: this run did
  owner      TEXT             -- of a pruned run: who owned it then; else versions say it
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
  last_run    INTEGER REFERENCES run, -- when it was last seen; NULL while every scan sees it
  replaces    INTEGER,
  waiver      TEXT,                   -- {owner, reason, expires, ticket} while it is waived
  origin_run  INTEGER REFERENCES run, -- of a drift rule: whose scan showed the value before the change
  resolution  TEXT                    -- NULL while it is active, and once it is replaced
    CHECK (resolution IN ('fixed', 'removed', 'policy', 'accepted', 'expired')),
  ended_by    TEXT                    -- {kind, by, reason, at, run, configured_at} where nobody mended it
) STRICT;
-- What chooses and orders active violations lies in one index, so that a list of the first ones reads no other row.
-- to_run is always NULL there, but SQLite reads the row of what asks for it unless it is a column.
CREATE INDEX violation_active
  ON violation (project_id, kind, uid, rule, path, severity, state, first_run, from_run, waiver, to_run)
  WHERE to_run IS NULL;
CREATE INDEX violation_of_resource ON violation (project_id, kind, uid);
CREATE INDEX violation_of_fingerprint ON violation (fingerprint);
CREATE INDEX violation_began ON violation (from_run);
CREATE INDEX violation_ended ON violation (to_run) WHERE to_run IS NOT NULL;
-- The same of ended ones, in the order in which they are counted and listed.
CREATE INDEX violation_ended_in_project
  ON violation (project_id, to_run, severity, kind, first_run, uid, rule, path, resolution, from_run, state, waiver)
  WHERE to_run IS NOT NULL;
CREATE INDEX violation_replaces ON violation (replaces) WHERE replaces IS NOT NULL;
CREATE INDEX violation_opened ON violation (first_run, from_run, state, project_id);
CREATE INDEX violation_with_origin ON violation (project_id, origin_run) WHERE origin_run IS NOT NULL;
CREATE INDEX violation_last_seen ON violation (last_run) WHERE last_run IS NOT NULL;

-- Violations that people accepted, each with the value that it was found in. Rows are added, revoked and ended, never
-- deleted.
CREATE TABLE acceptance (
  id           INTEGER PRIMARY KEY,
  project_id   INTEGER NOT NULL REFERENCES project,
  project      TEXT NOT NULL,    -- service/project, as configured at the time
  fingerprint  TEXT NOT NULL,
  rule         TEXT NOT NULL,
  kind         TEXT NOT NULL,
  uid          TEXT NOT NULL,
  path         TEXT NOT NULL,
  reason       TEXT NOT NULL,
  value_digest TEXT,             -- of the accepted value, in which secrets are seals; NULL: the finding has none
  accepted_at  TEXT NOT NULL,
  accepted_by  TEXT NOT NULL,
  accepted_as  TEXT,             -- which user of the operating system wrote it; NULL where it was not recorded
  accepted_in  INTEGER,          -- the run that was committed after it, whose link covers it
  revoked_at   TEXT,
  revoked_by   TEXT,
  revoked_as   TEXT,
  revoked_in   INTEGER,
  ended_at     TEXT,             -- start of the run that ended it
  ended_by     TEXT CHECK (ended_by IN ('value_changed', 'restored', 'removed')),
  ended_in     INTEGER
) STRICT;
CREATE INDEX acceptance_of_project ON acceptance (project_id, fingerprint);

-- What people did, by their own account. Rows are added, never changed or deleted.
CREATE TABLE recorded_note (
  id       INTEGER PRIMARY KEY,
  at       TEXT NOT NULL,  -- when it happened
  text     TEXT NOT NULL,
  ref      TEXT,           -- an address, or the digest of a commit
  projects TEXT NOT NULL,  -- [service/project], as configured at the time; []: all
  noted_at TEXT NOT NULL,
  noted_by TEXT NOT NULL,
  noted_as TEXT,           -- which user of the operating system wrote it; NULL where it was not recorded
  noted_in INTEGER         -- the run that was committed after it, whose link covers it
) STRICT;
CREATE INDEX recorded_note_at ON recorded_note (at);
CREATE INDEX recorded_note_in ON recorded_note (noted_in);

-- States of projects that people approved. The last approval of a project counts, confirmations aside, unless it was
-- revoked; rows are added and revoked, never deleted. The run of the one that counts must be kept.
CREATE TABLE approval (
  id          INTEGER PRIMARY KEY,
  project_id  INTEGER NOT NULL REFERENCES project,
  project     TEXT NOT NULL,  -- service/project, as configured at the time
  run         INTEGER REFERENCES run, -- whose state it is; NULL when it was imported: see approved_resource
  scopes      TEXT NOT NULL,  -- {kind: {listing, filter}}: what the state is about
  note        TEXT NOT NULL,
  approved_at TEXT NOT NULL,
  approved_by TEXT NOT NULL,
  approved_as TEXT,           -- which user of the operating system wrote it; NULL where it was not recorded
  approved_in INTEGER,        -- the run that was committed after it, whose link covers it
  amendments  TEXT,           -- [{kind, uid, run, at}]: resources approved by themselves, as of other runs; NULL: none
  approves    TEXT,           -- [{kind, uid}]: resources whose approved state it changed; NULL: all, nothing was approved
  confirms    INTEGER,        -- approval that was in force and whose state it confirmed, without changing any of it
  revoked_at  TEXT,
  revoked_by  TEXT,
  revoked_as  TEXT,
  revoked_in  INTEGER
) STRICT;
CREATE INDEX approval_of_project ON approval (project_id, id);

-- The resources of an imported state, and amendments. An amended resource without a row is approved as gone.
CREATE TABLE approved_resource (
  approval_id INTEGER NOT NULL REFERENCES approval,
  kind        TEXT NOT NULL,
  uid         TEXT NOT NULL,
  name        TEXT NOT NULL,
  body        TEXT NOT NULL,
  seal_key_id TEXT NOT NULL,  -- which installation key sealed it
  PRIMARY KEY (approval_id, kind, uid)
) STRICT, WITHOUT ROWID;

CREATE TABLE notice (
  run        INTEGER NOT NULL REFERENCES run,
  number     INTEGER NOT NULL,           -- from 1, in the order in which the run wrote them
  code       TEXT NOT NULL,
  project_id INTEGER REFERENCES project, -- NULL when it is about the run
  listing    TEXT,                       -- NULL when it is not about one
  text       TEXT NOT NULL,
  PRIMARY KEY (run, number)
) STRICT;

-- What a walk missed and was not believed: its status is suspect. uids is a JSON list.
CREATE TABLE withheld_removal (
  project_id INTEGER NOT NULL REFERENCES project,
  listing    TEXT NOT NULL,
  run        INTEGER NOT NULL REFERENCES run,
  uids       TEXT NOT NULL,
  PRIMARY KEY (project_id, listing, run)
) STRICT, WITHOUT ROWID;

-- One row for each pruning: the runs left the chain, and this row carries what is left of them.
CREATE TABLE checkpoint (
  id           INTEGER PRIMARY KEY,
  made_at      TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  options      TEXT NOT NULL, -- JSON: what was to be kept
  runs         TEXT NOT NULL, -- JSON: [[first, last], …] of the runs that were pruned
  state_digest TEXT NOT NULL, -- digest of this row, those before it, and all that is left of runs outside the chain
  run          INTEGER        -- the run committed next, whose link covers this row
) STRICT;
CREATE INDEX checkpoint_of_run ON checkpoint (run);

-- Messages to people: written in the transaction that commits the run they are about, kept until they were delivered.

CREATE TABLE channel (
  name         TEXT PRIMARY KEY,
  written      INTEGER NOT NULL DEFAULT 0, -- its messages are numbered from 1 to this
  dropped      INTEGER NOT NULL DEFAULT 0, -- those up to this one ended long ago and are no longer kept
  gone_at      TEXT,                       -- when its receiver answered that it is gone for good
  gone_target  TEXT,                       -- keyed digest of where the receiver was
  token        INTEGER NOT NULL DEFAULT 0, -- of the process that delivers on it, as in lease
  host         TEXT NOT NULL DEFAULT '',
  boot_id      TEXT NOT NULL DEFAULT '',
  pid          INTEGER NOT NULL DEFAULT 0,
  taken_at     TEXT NOT NULL DEFAULT '1970-01-01T00:00:00.000Z',
  heartbeat_at TEXT NOT NULL DEFAULT '1970-01-01T00:00:00.000Z'
) STRICT;

CREATE TABLE notification (
  id          TEXT PRIMARY KEY, -- also of the message as its receiver sees it, however often it is sent
  channel     TEXT NOT NULL REFERENCES channel,
  number      INTEGER NOT NULL, -- delivered in this order
  run         INTEGER,          -- NULL: not about a run. No reference: it outlives its run
  created_at  TEXT NOT NULL,
  body        TEXT NOT NULL,    -- JSON
  state       TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts    INTEGER NOT NULL DEFAULT 0,
  next_try_at TEXT NOT NULL,
  error       TEXT,             -- of the last attempt, in our words
  ended_at    TEXT,             -- when it was delivered or given up
  UNIQUE (channel, number)
) STRICT;
CREATE INDEX notification_waiting ON notification (channel, number) WHERE state = 'pending';
CREATE INDEX notification_dead ON notification (channel) WHERE state = 'dead';

-- An incident of a channel: a cause, or a violation that follows from none, lost listings, or too much at once. What it
-- is about, to close it when all of it is over, and the ticket that its receiver has of it, also when the answer was lost.
CREATE TABLE incident (
  channel    TEXT NOT NULL REFERENCES channel,
  key        TEXT NOT NULL,              -- by which the receiver knows it
  subjects   TEXT NOT NULL DEFAULT '[]', -- JSON: fingerprints of violations, and listings; empty: it has ended
  target     TEXT,                       -- keyed digest of where the tracker is; NULL: none was asked for a ticket
  reference  TEXT,                       -- of the ticket; NULL: the tracker was asked to create it, and has not answered
  changed_at TEXT,                       -- as the tracker last said; without a reference, when it was asked
  PRIMARY KEY (channel, key)
) STRICT, WITHOUT ROWID;

-- Scans that no message is about, because a signal cut the run short: the next run's messages are about both.
CREATE TABLE unnotified_scan (
  project_id INTEGER NOT NULL REFERENCES project,
  run        INTEGER NOT NULL,
  PRIMARY KEY (project_id, run)
) STRICT, WITHOUT ROWID;

-- For plain sqlite3. Stable: names may be added, not changed. project is service/project; owner is the owner_id of an
-- endpoint, or of the endpoint of a subscription; severity_rank goes from 1 (critical) to 5 (info).

CREATE VIEW committed_run AS
  SELECT number, started_at, finished_at, exit_code, fail_on, tool_version, policy_digest, configuration_digest, chain
  FROM run WHERE state = 'committed';

-- Runs with what each of their walks proved.
CREATE VIEW run_coverage AS
  SELECT r.number AS run, r.started_at, r.exit_code, s.name AS project, p.service, p.uid AS project_uid, w.listing,
         w.status, w.cause, w.reason, w.filter, w.pages, w.items, w.requests, w.retries, w.duration_ms, w.total,
         w.oldest_at
  FROM committed_run r JOIN scan s ON s.run = r.number
  JOIN project p ON p.id = s.project_id
  JOIN walk w ON w.project_id = s.project_id AND w.run = s.run;

-- Every resource as of every run: filter by run, e.g. WHERE run = 17.
CREATE VIEW resource_at AS
  SELECT r.number AS run,
         (SELECT s.name FROM scan s WHERE s.project_id = p.id AND s.run <= r.number
          ORDER BY s.run DESC LIMIT 1) AS project,
         p.service, p.uid AS project_uid, x.kind, x.uid, x.name,
         (SELECT v.owner_id FROM version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
            AND v.uid = CASE x.kind WHEN 'endpoint' THEN x.uid
              WHEN 'subscription' THEN (SELECT u.endpoint_uid FROM version u
                WHERE u.project_id = x.project_id AND u.kind = 'subscription' AND u.uid = x.uid
                  AND u.from_run <= r.number AND (u.to_run IS NULL OR u.to_run > r.number) LIMIT 1) END
            AND v.from_run <= r.number AND (v.to_run IS NULL OR v.to_run > r.number) LIMIT 1) AS owner,
         x.from_run, x.body, x.facts
  FROM committed_run r
  JOIN version x ON x.from_run <= r.number AND (x.to_run IS NULL OR x.to_run > r.number)
  JOIN project p ON p.id = x.project_id;

-- Every resource as the last committed run left it.
CREATE VIEW current_resource AS
  SELECT project, service, project_uid, kind, uid, name, owner, from_run, body, facts
  FROM resource_at WHERE run = (SELECT max(number) FROM committed_run);

-- What changed, run by run. A removed resource has its last owner.
CREATE VIEW drift AS
  SELECT x.run, r.started_at,
         (SELECT s.name FROM scan s WHERE s.project_id = x.project_id AND s.run = x.run) AS project,
         p.service, p.uid AS project_uid, x.kind, x.uid, x.name,
         (SELECT v.owner_id FROM version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
            AND v.uid = CASE x.kind WHEN 'endpoint' THEN x.uid
              WHEN 'subscription' THEN (SELECT u.endpoint_uid FROM version u
                WHERE u.project_id = x.project_id AND u.kind = 'subscription' AND u.uid = x.uid
                  AND u.from_run <= x.run AND (u.to_run IS NULL OR u.to_run >= x.run)
                  ORDER BY u.from_run DESC LIMIT 1) END
            AND v.from_run <= x.run AND (v.to_run IS NULL OR v.to_run >= x.run)
            ORDER BY v.from_run DESC LIMIT 1) AS owner,
         x.change, x.fields, x.referrers
  FROM change x JOIN committed_run r ON r.number = x.run
  JOIN project p ON p.id = x.project_id;

-- Violations that had not ended by the last committed run; no scan since last_seen could evaluate the 'unknown' ones.
CREATE VIEW active_violation AS
  SELECT x.fingerprint, x.rule, x.severity,
         CASE x.severity WHEN 'critical' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3
           WHEN 'low' THEN 4 WHEN 'info' THEN 5 END AS severity_rank,
         x.state,
         (SELECT s.name FROM scan s WHERE s.project_id = x.project_id AND s.run <= last.run
          ORDER BY s.run DESC LIMIT 1) AS project,
         p.service, p.uid AS project_uid, x.kind, x.uid, x.name,
         (SELECT v.owner_id FROM version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
            AND v.uid = CASE x.kind WHEN 'endpoint' THEN x.uid
              WHEN 'subscription' THEN (SELECT u.endpoint_uid FROM version u
                WHERE u.project_id = x.project_id AND u.kind = 'subscription' AND u.uid = x.uid
                  AND u.from_run <= last.run AND (u.to_run IS NULL OR u.to_run > last.run) LIMIT 1) END
            AND v.from_run <= last.run AND (v.to_run IS NULL OR v.to_run > last.run) LIMIT 1) AS owner,
         x.path, x.message, f.started_at AS first_seen,
         (SELECT l.started_at FROM run l WHERE l.number = coalesce(x.last_run, (SELECT max(s.run)
            FROM scan s WHERE s.project_id = x.project_id AND s.run <= last.run))) AS last_seen,
         x.waiver
  FROM (SELECT max(number) AS run FROM committed_run) last
  JOIN violation x ON x.from_run <= last.run AND (x.to_run IS NULL OR x.to_run > last.run)
  JOIN project p ON p.id = x.project_id JOIN run f ON f.number = x.first_run;

-- The same, without those that a waiver accepts.
CREATE VIEW open_violation AS
  SELECT fingerprint, rule, severity, severity_rank, state, project, service, project_uid, kind, uid, name, owner, path,
         message, first_seen, last_seen, waiver
  FROM active_violation WHERE waiver IS NULL;

-- Violations that a waiver of the policy accepts, or accepted. Each version of the two has a row.
CREATE VIEW waived_violation AS
  SELECT x.fingerprint, x.rule, x.severity,
         CASE x.severity WHEN 'critical' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3
           WHEN 'low' THEN 4 WHEN 'info' THEN 5 END AS severity_rank,
         x.state,
         (SELECT s.name FROM scan s WHERE s.project_id = x.project_id AND s.run <= last.run
          ORDER BY s.run DESC LIMIT 1) AS project,
         p.service, p.uid AS project_uid, x.kind, x.uid, x.name,
         (SELECT v.owner_id FROM version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
            AND v.uid = CASE x.kind WHEN 'endpoint' THEN x.uid
              WHEN 'subscription' THEN (SELECT u.endpoint_uid FROM version u
                WHERE u.project_id = x.project_id AND u.kind = 'subscription' AND u.uid = x.uid
                  AND u.from_run <= x.from_run AND (u.to_run IS NULL OR u.to_run > x.from_run) LIMIT 1) END
            AND v.from_run <= x.from_run AND (v.to_run IS NULL OR v.to_run > x.from_run) LIMIT 1) AS owner,
         x.path, x.message, x.waiver ->> '$.owner' AS waiver_owner, x.waiver ->> '$.reason' AS reason,
         x.waiver ->> '$.expires' AS expires, x.waiver ->> '$.ticket' AS ticket, b.started_at AS waived_at,
         e.started_at AS ended_at, e.number IS NULL AS is_active
  FROM (SELECT max(number) AS run FROM committed_run) last
  JOIN violation x ON x.from_run <= last.run
  JOIN project p ON p.id = x.project_id JOIN run b ON b.number = x.from_run
  LEFT JOIN run e ON e.number = x.to_run AND e.number <= last.run
  WHERE x.waiver IS NOT NULL;

-- Violations that people accepted, as last seen. An acceptance is active until a person revokes it or a run ends it.
CREATE VIEW accepted_violation AS
  SELECT x.id, x.fingerprint, x.rule, l.severity,
         CASE l.severity WHEN 'critical' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3
           WHEN 'low' THEN 4 WHEN 'info' THEN 5 END AS severity_rank,
         x.project, p.service, p.uid AS project_uid, x.kind, x.uid, l.name,
         (SELECT v.owner_id FROM version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
            AND v.uid = CASE x.kind WHEN 'endpoint' THEN x.uid
              WHEN 'subscription' THEN (SELECT u.endpoint_uid FROM version u
                WHERE u.project_id = x.project_id AND u.kind = 'subscription' AND u.uid = x.uid
                  AND u.from_run <= last.run ORDER BY u.from_run DESC LIMIT 1) END
            AND v.from_run <= last.run ORDER BY v.from_run DESC LIMIT 1) AS owner,
         x.path, l.message, x.reason, x.accepted_at, x.accepted_by, x.accepted_as, x.revoked_at, x.revoked_by,
         x.revoked_as, x.ended_at, x.ended_by,
         x.revoked_at IS NULL AND x.ended_at IS NULL AS is_active
  FROM (SELECT max(number) AS run FROM committed_run) last CROSS JOIN acceptance x
  JOIN project p ON p.id = x.project_id
  LEFT JOIN violation l ON l.id = (SELECT max(v.id) FROM violation v
    WHERE v.project_id = x.project_id AND v.fingerprint = x.fingerprint AND v.from_run <= last.run);

-- What people did, by their own account. projects is a list of service/project; empty: it is about all.
CREATE VIEW note AS
  SELECT id, at, text, ref, projects, noted_at, noted_by, noted_as FROM recorded_note;

-- Violations that ended. Only 'fixed' and 'removed' ones are gone; who or what ended the others is in ended_by.
CREATE VIEW violation_history AS
  SELECT x.fingerprint, x.rule, x.severity,
         CASE x.severity WHEN 'critical' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3
           WHEN 'low' THEN 4 WHEN 'info' THEN 5 END AS severity_rank,
         s.name AS project, p.service, p.uid AS project_uid, x.kind, x.uid, x.name,
         (SELECT v.owner_id FROM version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
            AND v.uid = CASE x.kind WHEN 'endpoint' THEN x.uid
              WHEN 'subscription' THEN (SELECT u.endpoint_uid FROM version u
                WHERE u.project_id = x.project_id AND u.kind = 'subscription' AND u.uid = x.uid
                  AND u.from_run < x.to_run AND (u.to_run IS NULL OR u.to_run >= x.to_run) LIMIT 1) END
            AND v.from_run < x.to_run AND (v.to_run IS NULL OR v.to_run >= x.to_run) LIMIT 1) AS owner,
         x.path, x.message, f.started_at AS first_seen, e.number AS run, e.started_at AS ended_at,
         unixepoch(e.started_at) - unixepoch(f.started_at) AS open_seconds, x.resolution,
         x.ended_by, x.ended_by ->> '$.kind' AS ended_kind, x.ended_by ->> '$.by' AS ended_person,
         x.ended_by ->> '$.reason' AS ended_reason
  FROM violation x JOIN project p ON p.id = x.project_id
  JOIN run f ON f.number = x.first_run
  JOIN committed_run e ON e.number = x.to_run
  JOIN scan s ON s.project_id = x.project_id AND s.run = x.to_run
  WHERE NOT EXISTS (SELECT 1 FROM violation y WHERE y.replaces = x.id);

-- The rules of each run.
CREATE VIEW run_rule AS
  SELECT r.number AS run, r.started_at, j.value ->> '$.id' AS rule, j.value ->> '$.kind' AS kind,
         j.value ->> '$.severity' AS severity,
         CASE j.value ->> '$.severity' WHEN 'critical' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3
           WHEN 'low' THEN 4 WHEN 'info' THEN 5 END AS severity_rank,
         j.value ->> '$.title' AS title, j.value -> '$.controls' AS controls
  FROM run r JOIN document d ON d.sha256 = r.rules_document
  JOIN json_each(d.body, '$.rules') j
  WHERE r.state = 'committed';

-- Who approved what, and which approval drift rules compare with now.
CREATE VIEW baseline AS
  SELECT a.id, a.project, p.service, p.uid AS project_uid, a.run, a.note, a.approved_at, a.approved_by, a.approved_as,
         a.revoked_at, a.revoked_by, a.revoked_as,
         a.revoked_at IS NULL AND a.id = (SELECT max(b.id) FROM approval b
           WHERE b.project_id = a.project_id AND b.confirms IS NULL) AS is_active,
         a.approves, a.confirms
  FROM approval a JOIN project p ON p.id = a.project_id;

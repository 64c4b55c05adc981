-- The history of audits in PostgreSQL: the tables, columns and views of migrations/0001_history.sql, which explains
-- them. What differs:
--
-- * Every text is ordered by its bytes (COLLATE "C"), whatever the database's own order is.
-- * PostgreSQL has no NUL in texts: the program writes U+0001 U+0001 for it, and U+0001 U+0002 for U+0001.
-- * An index row has at most 2,704 bytes, and a service chooses uids: indexes hold the first 200 characters of a uid,
--   and no key contains one.
-- * JSON is text: jsonb would lose the bytes that digests cover. Its members have the names that reports have.
-- * Ids are given out by the owner of the lease, so there are no sequences.
-- * Only the lease and claims of channels use the clock of the server.

CREATE TABLE hookdrift.migration (
  version    integer PRIMARY KEY,
  name       text COLLATE "C" NOT NULL,
  sha256     text COLLATE "C" NOT NULL,
  applied_at text COLLATE "C" NOT NULL
);

CREATE TABLE hookdrift.lease (
  id           integer PRIMARY KEY CHECK (id = 1),
  token        bigint NOT NULL,
  host         text COLLATE "C" NOT NULL,
  boot_id      text COLLATE "C" NOT NULL,
  pid          bigint NOT NULL,
  taken_at     timestamptz NOT NULL,
  heartbeat_at timestamptz NOT NULL
);

CREATE TABLE hookdrift.document (
  id     bigint PRIMARY KEY,
  sha256 text COLLATE "C" NOT NULL UNIQUE,
  body   text COLLATE "C" NOT NULL
);

CREATE TABLE hookdrift.run (
  number               bigint PRIMARY KEY,
  state                text COLLATE "C" NOT NULL CHECK (state IN ('running', 'committed', 'interrupted', 'pruned')),
  started_at           text COLLATE "C" NOT NULL,
  finished_at          text COLLATE "C",
  exit_code            integer,
  fail_on              text COLLATE "C" NOT NULL,
  tool_version         text COLLATE "C" NOT NULL,
  policy_digest        text COLLATE "C" NOT NULL,
  configuration_digest text COLLATE "C" NOT NULL,
  seal_key_id          text COLLATE "C" NOT NULL,
  normal_form_version  integer NOT NULL,
  version_floor        bigint NOT NULL,
  violation_floor      bigint NOT NULL,
  rules_document       text COLLATE "C" REFERENCES hookdrift.document (sha256),
  previous             text COLLATE "C",
  part_digests         text COLLATE "C",
  chain                text COLLATE "C"
);
CREATE INDEX run_running ON hookdrift.run (number) WHERE state = 'running';

CREATE TABLE hookdrift.project (
  id      bigint PRIMARY KEY,
  service text COLLATE "C" NOT NULL,
  uid     text COLLATE "C" NOT NULL,
  UNIQUE (service, uid)
);

CREATE TABLE hookdrift.version (
  id                  bigint PRIMARY KEY,
  project_id          bigint NOT NULL REFERENCES hookdrift.project,
  kind                text COLLATE "C" NOT NULL,
  uid                 text COLLATE "C" NOT NULL,
  from_run            bigint NOT NULL REFERENCES hookdrift.run,
  to_run              bigint REFERENCES hookdrift.run,
  replaces            bigint,
  normal_form_version integer NOT NULL,
  name                text COLLATE "C" NOT NULL,
  digest              text COLLATE "C" NOT NULL,
  body                text COLLATE "C" NOT NULL,
  facts               text COLLATE "C" NOT NULL,
  -- Out of the body, which the digest covers: to whom a subscription refers, and who owns an endpoint.
  endpoint_uid        text COLLATE "C",
  source_uid          text COLLATE "C",
  device_uid          text COLLATE "C",
  owner_id            text COLLATE "C"
);
CREATE INDEX version_of_resource ON hookdrift.version (project_id, kind, uid, from_run, to_run);
CREATE INDEX version_current ON hookdrift.version (project_id, kind, uid) WHERE to_run IS NULL;
CREATE INDEX version_began ON hookdrift.version (from_run, project_id);
CREATE INDEX version_ended ON hookdrift.version (to_run) WHERE to_run IS NOT NULL;
CREATE INDEX version_to_endpoint ON hookdrift.version (project_id, endpoint_uid) WHERE endpoint_uid IS NOT NULL;
CREATE INDEX version_to_source ON hookdrift.version (project_id, source_uid) WHERE source_uid IS NOT NULL;
CREATE INDEX version_to_device ON hookdrift.version (project_id, device_uid) WHERE device_uid IS NOT NULL;

CREATE TABLE hookdrift.unreferenced (
  project_id bigint NOT NULL REFERENCES hookdrift.project,
  kind       text COLLATE "C" NOT NULL,
  uid        text COLLATE "C" NOT NULL,
  from_run   bigint NOT NULL REFERENCES hookdrift.run,
  to_run     bigint REFERENCES hookdrift.run,
  PRIMARY KEY (project_id, kind, uid, from_run)
);
CREATE INDEX unreferenced_began ON hookdrift.unreferenced (from_run);
CREATE INDEX unreferenced_ended ON hookdrift.unreferenced (to_run) WHERE to_run IS NOT NULL;

CREATE TABLE hookdrift.change (
  id         bigint PRIMARY KEY,
  run        bigint NOT NULL REFERENCES hookdrift.run,
  project_id bigint NOT NULL REFERENCES hookdrift.project,
  kind       text COLLATE "C" NOT NULL,
  uid        text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  change     text COLLATE "C" NOT NULL CHECK (change IN ('added', 'removed', 'modified')),
  fields     text COLLATE "C" NOT NULL,
  referrers  text COLLATE "C",
  after_at   text COLLATE "C",
  before_at  text COLLATE "C",
  owner      text COLLATE "C"
);
CREATE INDEX change_of_run ON hookdrift.change (run, project_id);
CREATE INDEX change_of_resource ON hookdrift.change (project_id, kind, uid);

CREATE TABLE hookdrift.violation (
  id          bigint PRIMARY KEY,
  fingerprint text COLLATE "C" NOT NULL,
  project_id  bigint NOT NULL REFERENCES hookdrift.project,
  kind        text COLLATE "C" NOT NULL,
  uid         text COLLATE "C" NOT NULL,
  rule        text COLLATE "C" NOT NULL,
  path        text COLLATE "C" NOT NULL,
  state       text COLLATE "C" NOT NULL CHECK (state IN ('open', 'unknown', 'waived')),
  severity    text COLLATE "C" NOT NULL,
  name        text COLLATE "C" NOT NULL,
  message     text COLLATE "C" NOT NULL,
  from_run    bigint NOT NULL REFERENCES hookdrift.run,
  to_run      bigint REFERENCES hookdrift.run,
  first_run   bigint NOT NULL REFERENCES hookdrift.run,
  last_run    bigint REFERENCES hookdrift.run,
  replaces    bigint,
  waiver      text COLLATE "C",
  origin_run  bigint REFERENCES hookdrift.run,
  resolution  text COLLATE "C" CHECK (resolution IN ('fixed', 'removed', 'policy', 'accepted', 'expired')),
  ended_by    text COLLATE "C"
);
CREATE INDEX violation_active ON hookdrift.violation (project_id, kind, uid) WHERE to_run IS NULL;
CREATE INDEX violation_of_resource ON hookdrift.violation (project_id, kind, uid);
CREATE INDEX violation_began ON hookdrift.violation (from_run, project_id);
CREATE INDEX violation_ended ON hookdrift.violation (to_run) WHERE to_run IS NOT NULL;
CREATE INDEX violation_ended_in_project ON hookdrift.violation (project_id, to_run) WHERE to_run IS NOT NULL;
CREATE INDEX violation_replaces ON hookdrift.violation (replaces) WHERE replaces IS NOT NULL;
CREATE INDEX violation_opened ON hookdrift.violation (first_run, from_run, state, project_id);
CREATE INDEX violation_with_origin ON hookdrift.violation (project_id, origin_run) WHERE origin_run IS NOT NULL;
CREATE INDEX violation_last_seen ON hookdrift.violation (last_run) WHERE last_run IS NOT NULL;
CREATE INDEX violation_of_fingerprint ON hookdrift.violation (fingerprint);

CREATE TABLE hookdrift.acceptance (
  id           bigint PRIMARY KEY,
  project_id   bigint NOT NULL REFERENCES hookdrift.project,
  project      text COLLATE "C" NOT NULL,
  fingerprint  text COLLATE "C" NOT NULL,
  rule         text COLLATE "C" NOT NULL,
  kind         text COLLATE "C" NOT NULL,
  uid          text COLLATE "C" NOT NULL,
  path         text COLLATE "C" NOT NULL,
  reason       text COLLATE "C" NOT NULL,
  value_digest text COLLATE "C",
  accepted_at  text COLLATE "C" NOT NULL,
  accepted_by  text COLLATE "C" NOT NULL,
  accepted_as  text COLLATE "C",
  accepted_in  bigint,
  revoked_at   text COLLATE "C",
  revoked_by   text COLLATE "C",
  revoked_as   text COLLATE "C",
  revoked_in   bigint,
  ended_at     text COLLATE "C",
  ended_by     text COLLATE "C" CHECK (ended_by IN ('value_changed', 'restored', 'removed')),
  ended_in     bigint
);
CREATE INDEX acceptance_of_project ON hookdrift.acceptance (project_id, fingerprint);

CREATE TABLE hookdrift.recorded_note (
  id       bigint PRIMARY KEY,
  at       text COLLATE "C" NOT NULL,
  text     text COLLATE "C" NOT NULL,
  ref      text COLLATE "C",
  projects text COLLATE "C" NOT NULL,
  noted_at text COLLATE "C" NOT NULL,
  noted_by text COLLATE "C" NOT NULL,
  noted_as text COLLATE "C",
  noted_in bigint
);
CREATE INDEX recorded_note_at ON hookdrift.recorded_note (at);
CREATE INDEX recorded_note_in ON hookdrift.recorded_note (noted_in);

CREATE TABLE hookdrift.approval (
  id          bigint PRIMARY KEY,
  project_id  bigint NOT NULL REFERENCES hookdrift.project,
  project     text COLLATE "C" NOT NULL,
  run         bigint REFERENCES hookdrift.run,
  scopes      text COLLATE "C" NOT NULL,
  note        text COLLATE "C" NOT NULL,
  approved_at text COLLATE "C" NOT NULL,
  approved_by text COLLATE "C" NOT NULL,
  approved_as text COLLATE "C",
  approved_in bigint,
  amendments  text COLLATE "C",
  approves    text COLLATE "C",
  confirms    bigint,
  revoked_at  text COLLATE "C",
  revoked_by  text COLLATE "C",
  revoked_as  text COLLATE "C",
  revoked_in  bigint
);
CREATE INDEX approval_of_project ON hookdrift.approval (project_id, id);

CREATE TABLE hookdrift.approved_resource (
  approval_id bigint NOT NULL REFERENCES hookdrift.approval,
  kind        text COLLATE "C" NOT NULL,
  uid         text COLLATE "C" NOT NULL,
  name        text COLLATE "C" NOT NULL,
  body        text COLLATE "C" NOT NULL,
  seal_key_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (approval_id, kind, uid)
);

CREATE TABLE hookdrift.evaluation (
  id         bigint PRIMARY KEY,
  project_id bigint NOT NULL REFERENCES hookdrift.project,
  sha256     text COLLATE "C" NOT NULL,
  body       text COLLATE "C" NOT NULL,
  UNIQUE (project_id, sha256)
);

CREATE TABLE hookdrift.scan (
  run        bigint NOT NULL REFERENCES hookdrift.run,
  project_id bigint NOT NULL REFERENCES hookdrift.project,
  name       text COLLATE "C" NOT NULL,
  evaluation bigint,
  PRIMARY KEY (run, project_id)
);
CREATE INDEX scan_of_project ON hookdrift.scan (project_id, run);

CREATE TABLE hookdrift.walk (
  run         bigint NOT NULL,
  project_id  bigint NOT NULL,
  listing     text COLLATE "C" NOT NULL,
  status      text COLLATE "C" NOT NULL CHECK (status IN ('complete', 'partial', 'failed', 'suspect', 'skipped')),
  cause       text COLLATE "C",
  reason      text COLLATE "C",
  filter      text COLLATE "C",
  pages       bigint NOT NULL,
  items       bigint NOT NULL,
  requests    bigint NOT NULL,
  retries     bigint NOT NULL,
  duration_ms bigint NOT NULL,
  shape       text COLLATE "C",
  total       bigint,
  oldest_at   text COLLATE "C",
  since_run   bigint,
  since_at    text COLLATE "C",
  PRIMARY KEY (run, project_id, listing),
  FOREIGN KEY (run, project_id) REFERENCES hookdrift.scan
);
CREATE INDEX walk_with_shape ON hookdrift.walk (project_id, listing, run) WHERE shape IS NOT NULL;

CREATE TABLE hookdrift.reading (
  project_id bigint NOT NULL REFERENCES hookdrift.project,
  name       text COLLATE "C" NOT NULL,
  body       text COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, name)
);

CREATE TABLE hookdrift.first_complete_walk (
  project_id bigint NOT NULL REFERENCES hookdrift.project,
  listing    text COLLATE "C" NOT NULL,
  run        bigint NOT NULL,
  PRIMARY KEY (project_id, listing)
);

CREATE TABLE hookdrift.notice (
  run        bigint NOT NULL REFERENCES hookdrift.run,
  number     bigint NOT NULL,
  code       text COLLATE "C" NOT NULL,
  project_id bigint REFERENCES hookdrift.project,
  listing    text COLLATE "C",
  text       text COLLATE "C" NOT NULL,
  PRIMARY KEY (run, number)
);

CREATE TABLE hookdrift.withheld_removal (
  project_id bigint NOT NULL REFERENCES hookdrift.project,
  listing    text COLLATE "C" NOT NULL,
  run        bigint NOT NULL REFERENCES hookdrift.run,
  uids       text COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, listing, run)
);

CREATE TABLE hookdrift.checkpoint (
  id           bigint PRIMARY KEY,
  made_at      text COLLATE "C" NOT NULL,
  tool_version text COLLATE "C" NOT NULL,
  options      text COLLATE "C" NOT NULL,
  runs         text COLLATE "C" NOT NULL,
  state_digest text COLLATE "C" NOT NULL,
  run          bigint
);
CREATE INDEX checkpoint_of_run ON hookdrift.checkpoint (run);

CREATE TABLE hookdrift.channel (
  name         text COLLATE "C" PRIMARY KEY,
  written      bigint NOT NULL DEFAULT 0,
  dropped      bigint NOT NULL DEFAULT 0,
  gone_at      text COLLATE "C",
  gone_target  text COLLATE "C",
  token        bigint NOT NULL DEFAULT 0,
  host         text COLLATE "C" NOT NULL DEFAULT '',
  boot_id      text COLLATE "C" NOT NULL DEFAULT '',
  pid          bigint NOT NULL DEFAULT 0,
  taken_at     timestamptz NOT NULL DEFAULT 'epoch',
  heartbeat_at timestamptz NOT NULL DEFAULT 'epoch'
);

CREATE TABLE hookdrift.notification (
  id          text COLLATE "C" PRIMARY KEY,
  channel     text COLLATE "C" NOT NULL REFERENCES hookdrift.channel,
  number      bigint NOT NULL,
  run         bigint,
  created_at  text COLLATE "C" NOT NULL,
  body        text COLLATE "C" NOT NULL,
  state       text COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts    bigint NOT NULL DEFAULT 0,
  next_try_at text COLLATE "C" NOT NULL,
  error       text COLLATE "C",
  ended_at    text COLLATE "C",
  UNIQUE (channel, number)
);
CREATE INDEX notification_waiting ON hookdrift.notification (channel, number) WHERE state = 'pending';
CREATE INDEX notification_dead ON hookdrift.notification (channel) WHERE state = 'dead';

CREATE TABLE hookdrift.incident (
  channel    text COLLATE "C" NOT NULL REFERENCES hookdrift.channel,
  key        text COLLATE "C" NOT NULL,
  subjects   text COLLATE "C" NOT NULL DEFAULT '[]',
  target     text COLLATE "C",
  reference  text COLLATE "C",
  changed_at text COLLATE "C",
  PRIMARY KEY (channel, key)
);

CREATE TABLE hookdrift.unnotified_scan (
  project_id bigint NOT NULL REFERENCES hookdrift.project,
  run        bigint NOT NULL,
  PRIMARY KEY (project_id, run)
);

-- For queries of users. Stable: names may be added, not changed.

CREATE VIEW hookdrift.committed_run AS
  SELECT number, started_at, finished_at, exit_code, fail_on, tool_version, policy_digest, configuration_digest, chain
  FROM hookdrift.run WHERE state = 'committed';

-- Runs with what each of their walks proved.
CREATE VIEW hookdrift.run_coverage AS
  SELECT r.number AS run, r.started_at, r.exit_code, s.name AS project, p.service, p.uid AS project_uid, w.listing,
         w.status, w.cause, w.reason, w.filter, w.pages, w.items, w.requests, w.retries, w.duration_ms, w.total,
         w.oldest_at
  FROM hookdrift.committed_run r JOIN hookdrift.scan s ON s.run = r.number
  JOIN hookdrift.project p ON p.id = s.project_id
  JOIN hookdrift.walk w ON w.project_id = s.project_id AND w.run = s.run;

-- Every resource as of every run: filter by run, e.g. WHERE run = 17.
CREATE VIEW hookdrift.resource_at AS
  SELECT r.number AS run,
         (SELECT s.name FROM hookdrift.scan s WHERE s.project_id = p.id AND s.run <= r.number
          ORDER BY s.run DESC LIMIT 1) AS project,
         p.service, p.uid AS project_uid, x.kind, x.uid, x.name,
         (SELECT v.owner_id FROM hookdrift.version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
            AND v.uid = CASE x.kind WHEN 'endpoint' THEN x.uid
              WHEN 'subscription' THEN (SELECT u.endpoint_uid FROM hookdrift.version u
                WHERE u.project_id = x.project_id AND u.kind = 'subscription' AND u.uid = x.uid
                  AND u.from_run <= r.number AND (u.to_run IS NULL OR u.to_run > r.number) LIMIT 1) END
            AND v.from_run <= r.number AND (v.to_run IS NULL OR v.to_run > r.number) LIMIT 1) AS owner,
         x.from_run, x.body, x.facts
  FROM hookdrift.committed_run r
  JOIN hookdrift.version x ON x.from_run <= r.number AND (x.to_run IS NULL OR x.to_run > r.number)
  JOIN hookdrift.project p ON p.id = x.project_id;

-- Every resource as the last committed run left it.
CREATE VIEW hookdrift.current_resource AS
  SELECT project, service, project_uid, kind, uid, name, owner, from_run, body, facts
  FROM hookdrift.resource_at WHERE run = (SELECT max(number) FROM hookdrift.committed_run);

-- What changed, run by run. A removed resource has its last owner.
CREATE VIEW hookdrift.drift AS
  SELECT x.run, r.started_at,
         (SELECT s.name FROM hookdrift.scan s WHERE s.project_id = x.project_id AND s.run = x.run) AS project,
         p.service, p.uid AS project_uid, x.kind, x.uid, x.name,
         (SELECT v.owner_id FROM hookdrift.version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
            AND v.uid = CASE x.kind WHEN 'endpoint' THEN x.uid
              WHEN 'subscription' THEN (SELECT u.endpoint_uid FROM hookdrift.version u
                WHERE u.project_id = x.project_id AND u.kind = 'subscription' AND u.uid = x.uid
                  AND u.from_run <= x.run AND (u.to_run IS NULL OR u.to_run >= x.run)
                  ORDER BY u.from_run DESC LIMIT 1) END
            AND v.from_run <= x.run AND (v.to_run IS NULL OR v.to_run >= x.run)
            ORDER BY v.from_run DESC LIMIT 1) AS owner,
         x.change, x.fields, x.referrers
  FROM hookdrift.change x JOIN hookdrift.committed_run r ON r.number = x.run
  JOIN hookdrift.project p ON p.id = x.project_id;

-- Violations that had not ended by the last committed run; no scan since last_seen could evaluate the 'unknown' ones.
CREATE VIEW hookdrift.active_violation AS
  SELECT x.fingerprint, x.rule, x.severity,
         CASE x.severity WHEN 'critical' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3
           WHEN 'low' THEN 4 WHEN 'info' THEN 5 END AS severity_rank,
         x.state,
         (SELECT s.name FROM hookdrift.scan s WHERE s.project_id = x.project_id AND s.run <= last.run
          ORDER BY s.run DESC LIMIT 1) AS project,
         p.service, p.uid AS project_uid, x.kind, x.uid, x.name,
         (SELECT v.owner_id FROM hookdrift.version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
            AND v.uid = CASE x.kind WHEN 'endpoint' THEN x.uid
              WHEN 'subscription' THEN (SELECT u.endpoint_uid FROM hookdrift.version u
                WHERE u.project_id = x.project_id AND u.kind = 'subscription' AND u.uid = x.uid
                  AND u.from_run <= last.run AND (u.to_run IS NULL OR u.to_run > last.run) LIMIT 1) END
            AND v.from_run <= last.run AND (v.to_run IS NULL OR v.to_run > last.run) LIMIT 1) AS owner,
         x.path, x.message, f.started_at AS first_seen,
         (SELECT l.started_at FROM hookdrift.run l WHERE l.number = coalesce(x.last_run, (SELECT max(s.run)
            FROM hookdrift.scan s WHERE s.project_id = x.project_id AND s.run <= last.run))) AS last_seen,
         x.waiver
  FROM (SELECT max(number) AS run FROM hookdrift.committed_run) last
  JOIN hookdrift.violation x ON x.from_run <= last.run AND (x.to_run IS NULL OR x.to_run > last.run)
  JOIN hookdrift.project p ON p.id = x.project_id JOIN hookdrift.run f ON f.number = x.first_run;

-- The same, without those that a waiver accepts.
CREATE VIEW hookdrift.open_violation AS
  SELECT fingerprint, rule, severity, severity_rank, state, project, service, project_uid, kind, uid, name, owner, path,
         message, first_seen, last_seen, waiver
  FROM hookdrift.active_violation WHERE waiver IS NULL;

-- Violations that a waiver of the policy accepts, or accepted. Each version of the two has a row.
CREATE VIEW hookdrift.waived_violation AS
  SELECT x.fingerprint, x.rule, x.severity,
         CASE x.severity WHEN 'critical' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3
           WHEN 'low' THEN 4 WHEN 'info' THEN 5 END AS severity_rank,
         x.state,
         (SELECT s.name FROM hookdrift.scan s WHERE s.project_id = x.project_id AND s.run <= last.run
          ORDER BY s.run DESC LIMIT 1) AS project,
         p.service, p.uid AS project_uid, x.kind, x.uid, x.name,
         (SELECT v.owner_id FROM hookdrift.version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
            AND v.uid = CASE x.kind WHEN 'endpoint' THEN x.uid
              WHEN 'subscription' THEN (SELECT u.endpoint_uid FROM hookdrift.version u
                WHERE u.project_id = x.project_id AND u.kind = 'subscription' AND u.uid = x.uid
                  AND u.from_run <= x.from_run AND (u.to_run IS NULL OR u.to_run > x.from_run) LIMIT 1) END
            AND v.from_run <= x.from_run AND (v.to_run IS NULL OR v.to_run > x.from_run) LIMIT 1) AS owner,
         x.path, x.message, x.waiver::json ->> 'owner' AS waiver_owner, x.waiver::json ->> 'reason' AS reason,
         x.waiver::json ->> 'expires' AS expires, x.waiver::json ->> 'ticket' AS ticket, b.started_at AS waived_at,
         e.started_at AS ended_at, (e.number IS NULL)::integer AS is_active
  FROM (SELECT max(number) AS run FROM hookdrift.committed_run) last
  JOIN hookdrift.violation x ON x.from_run <= last.run
  JOIN hookdrift.project p ON p.id = x.project_id JOIN hookdrift.run b ON b.number = x.from_run
  LEFT JOIN hookdrift.run e ON e.number = x.to_run AND e.number <= last.run
  WHERE x.waiver IS NOT NULL;

-- Violations that people accepted, as last seen. An acceptance is active until a person revokes it or a run ends it.
CREATE VIEW hookdrift.accepted_violation AS
  SELECT x.id, x.fingerprint, x.rule, l.severity,
         CASE l.severity WHEN 'critical' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3
           WHEN 'low' THEN 4 WHEN 'info' THEN 5 END AS severity_rank,
         x.project, p.service, p.uid AS project_uid, x.kind, x.uid, l.name,
         (SELECT v.owner_id FROM hookdrift.version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
            AND v.uid = CASE x.kind WHEN 'endpoint' THEN x.uid
              WHEN 'subscription' THEN (SELECT u.endpoint_uid FROM hookdrift.version u
                WHERE u.project_id = x.project_id AND u.kind = 'subscription' AND u.uid = x.uid
                  AND u.from_run <= last.run ORDER BY u.from_run DESC LIMIT 1) END
            AND v.from_run <= last.run ORDER BY v.from_run DESC LIMIT 1) AS owner,
         x.path, l.message, x.reason, x.accepted_at, x.accepted_by, x.accepted_as, x.revoked_at, x.revoked_by,
         x.revoked_as, x.ended_at, x.ended_by,
         (x.revoked_at IS NULL AND x.ended_at IS NULL)::integer AS is_active
  FROM (SELECT max(number) AS run FROM hookdrift.committed_run) last CROSS JOIN hookdrift.acceptance x
  JOIN hookdrift.project p ON p.id = x.project_id
  LEFT JOIN hookdrift.violation l ON l.id = (SELECT max(v.id) FROM hookdrift.violation v
    WHERE v.project_id = x.project_id AND v.fingerprint = x.fingerprint AND v.from_run <= last.run);

-- What people did, by their own account. projects is a list of service/project; empty: it is about all.
CREATE VIEW hookdrift.note AS
  SELECT id, at, text, ref, projects, noted_at, noted_by, noted_as FROM hookdrift.recorded_note;

-- Violations that ended. Only 'fixed' and 'removed' ones are gone; who or what ended the others is in ended_by.
CREATE VIEW hookdrift.violation_history AS
  SELECT x.fingerprint, x.rule, x.severity,
         CASE x.severity WHEN 'critical' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3
           WHEN 'low' THEN 4 WHEN 'info' THEN 5 END AS severity_rank,
         s.name AS project, p.service, p.uid AS project_uid, x.kind, x.uid, x.name,
         (SELECT v.owner_id FROM hookdrift.version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
            AND v.uid = CASE x.kind WHEN 'endpoint' THEN x.uid
              WHEN 'subscription' THEN (SELECT u.endpoint_uid FROM hookdrift.version u
                WHERE u.project_id = x.project_id AND u.kind = 'subscription' AND u.uid = x.uid
                  AND u.from_run < x.to_run AND (u.to_run IS NULL OR u.to_run >= x.to_run) LIMIT 1) END
            AND v.from_run < x.to_run AND (v.to_run IS NULL OR v.to_run >= x.to_run) LIMIT 1) AS owner,
         x.path, x.message, f.started_at AS first_seen, e.number AS run, e.started_at AS ended_at,
         floor(extract(epoch FROM e.started_at::timestamptz))::bigint
           - floor(extract(epoch FROM f.started_at::timestamptz))::bigint AS open_seconds, x.resolution,
         x.ended_by, x.ended_by::json ->> 'kind' AS ended_kind, x.ended_by::json ->> 'by' AS ended_person,
         x.ended_by::json ->> 'reason' AS ended_reason
  FROM hookdrift.violation x JOIN hookdrift.project p ON p.id = x.project_id
  JOIN hookdrift.run f ON f.number = x.first_run
  JOIN hookdrift.committed_run e ON e.number = x.to_run
  JOIN hookdrift.scan s ON s.project_id = x.project_id AND s.run = x.to_run
  WHERE NOT EXISTS (SELECT 1 FROM hookdrift.violation y WHERE y.replaces = x.id);

-- The rules of each run.
CREATE VIEW hookdrift.run_rule AS
  SELECT r.number AS run, r.started_at, j.value ->> 'id' AS rule, j.value ->> 'kind' AS kind,
         j.value ->> 'severity' AS severity,
         CASE j.value ->> 'severity' WHEN 'critical' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3
           WHEN 'low' THEN 4 WHEN 'info' THEN 5 END AS severity_rank,
         j.value ->> 'title' AS title, (j.value -> 'controls')::text AS controls
  FROM hookdrift.run r JOIN hookdrift.document d ON d.sha256 = r.rules_document
  CROSS JOIN LATERAL json_array_elements(d.body::json -> 'rules') j
  WHERE r.state = 'committed';

-- Who approved what, and which approval drift rules compare with now.
CREATE VIEW hookdrift.baseline AS
  SELECT a.id, a.project, p.service, p.uid AS project_uid, a.run, a.note, a.approved_at, a.approved_by, a.approved_as,
         a.revoked_at, a.revoked_by, a.revoked_as,
         (a.revoked_at IS NULL AND a.id = (SELECT max(b.id) FROM hookdrift.approval b
           WHERE b.project_id = a.project_id AND b.confirms IS NULL))::integer AS is_active,
         a.approves, a.confirms
  FROM hookdrift.approval a JOIN hookdrift.project p ON p.id = a.project_id;

-- The pool of workers. It holds how far a run is while it is under way, and is no part of the history: a copy leaves
-- these tables out, and what they hold may be lost between two runs. Times are the server's.

-- A run that was asked for, and how far it is, so that another process can go on with it.
CREATE TABLE hookdrift.run_plan (
  -- Of a tick: its schedule and when it was due, so that one worker asks.
  id          text COLLATE "C" PRIMARY KEY,
  -- Whose tick it is; null: a person asked.
  schedule    text COLLATE "C",
  request     text COLLATE "C" NOT NULL,
  -- Since when it waits for a worker that coordinates it.
  asked_at    timestamptz NOT NULL,
  -- The worker that coordinates it, or did before it was lost.
  coordinator text COLLATE "C",
  -- Since when it ends with an error that does not pass by itself.
  fails_since timestamptz,
  run         bigint UNIQUE,
  -- Which projects it is about besides its tasks: JSON.
  plan        text COLLATE "C",
  -- After this, no request to a service begins.
  stop_at     timestamptz,
  -- The signal that stopped it before that.
  stopped_by  text COLLATE "C" CHECK (stopped_by IN ('sigint', 'sigterm')),
  ended_at    timestamptz,
  -- Why there is no committed run.
  error       text COLLATE "C"
);
-- One run of a schedule waits or is under way at a time; persons wait for each other.
CREATE UNIQUE INDEX run_plan_schedule ON hookdrift.run_plan (schedule) WHERE ended_at IS NULL;

-- One project of a run. Its token goes up with each worker that takes it, and only the last one writes.
CREATE TABLE hookdrift.task (
  run        bigint NOT NULL,
  project_id bigint NOT NULL,
  service    text COLLATE "C" NOT NULL,
  place      integer NOT NULL,
  project    text COLLATE "C" NOT NULL,
  state      text COLLATE "C" NOT NULL CHECK (state IN ('planned', 'running', 'lost', 'done')),
  token      bigint NOT NULL DEFAULT 0,
  worker     text COLLATE "C",
  -- Since when it waits, is walked, or is done.
  since      timestamptz NOT NULL,
  -- Why it was given up: JSON.
  reason     text COLLATE "C",
  -- What the run writes of the project, and what it leaves for the end of the run: compressed JSON, until the commit.
  result     bytea,
  PRIMARY KEY (run, project_id)
);
CREATE INDEX task_unfinished ON hookdrift.task (run, service) WHERE state <> 'done';

-- A service that limits requests: no worker asks before.
CREATE TABLE hookdrift.service_gate (
  service  text COLLATE "C" PRIMARY KEY,
  opens_at timestamptz NOT NULL
);

-- Workers that take part.
CREATE TABLE hookdrift.worker (
  id      text COLLATE "C" PRIMARY KEY,
  host    text COLLATE "C" NOT NULL,
  pid     bigint NOT NULL,
  slots   integer NOT NULL,
  seen_at timestamptz NOT NULL
);

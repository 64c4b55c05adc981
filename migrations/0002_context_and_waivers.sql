-- What a run judged with and what it looked at, so that its record can be read without the files of then; and who
-- accepted a violation.

-- JSON texts that runs share, each once, by the SHA-256 of its text.
CREATE TABLE document (
  id     INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,
  body   TEXT NOT NULL
) STRICT;

ALTER TABLE run ADD COLUMN rules_document TEXT REFERENCES document (sha256);    -- the rules in force
ALTER TABLE run ADD COLUMN projects_document TEXT REFERENCES document (sha256); -- where each project is configured, and how much of it was judged

ALTER TABLE violation ADD COLUMN waiver TEXT; -- {owner, reason, expires, ticket} while it is waived

DROP VIEW open_violation;

-- Violations that stand as of the last sealed run; 'unknown' ones were not looked at since last_seen.
CREATE VIEW open_violation AS
  SELECT x.fingerprint, x.rule, x.severity, x.state, p.service, p.uid AS project_uid, x.kind, x.uid, x.name, x.path,
         x.message, f.started_at AS first_seen,
         (SELECT l.started_at FROM run l WHERE l.number = ifnull(x.last_run,
            (SELECT max(w.run) FROM walk w JOIN sealed_run s ON s.number = w.run
             WHERE w.project_id = x.project_id AND w.listing = 'endpoints'))) AS last_seen,
         x.waiver
  FROM violation x JOIN project p ON p.id = x.project_id JOIN run f ON f.number = x.first_run
  WHERE x.from_run <= (SELECT max(number) FROM sealed_run)
    AND (x.to_run IS NULL OR x.to_run > (SELECT max(number) FROM sealed_run));

-- Which rules judged, run by run.
CREATE VIEW run_rule AS
  SELECT r.number AS run, r.started_at, j.value ->> '$.id' AS rule, j.value ->> '$.kind' AS kind,
         j.value ->> '$.severity' AS severity, j.value ->> '$.title' AS title, j.value -> '$.controls' AS controls
  FROM run r JOIN document d ON d.sha256 = r.rules_document JOIN json_each(d.body) j
  WHERE r.state = 'sealed';

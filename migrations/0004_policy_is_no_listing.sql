-- The policy is looked at like a project, so that what is said of its waivers stands beside all other violations. It has no
-- service and lists nothing: coverage is of services.
DROP VIEW run_coverage;

-- Runs with what each of their walks proved.
CREATE VIEW run_coverage AS
  SELECT r.number AS run, r.started_at, r.exit_code, w.project, w.listing, w.status, w.reason, w.filter, w.pages, w.items,
         w.requests, w.retries, w.duration_ms
  FROM sealed_run r JOIN walk w ON w.run = r.number JOIN project p ON p.id = w.project_id
  WHERE NOT (p.service = '' AND p.uid = 'policy');

-- The tables of a history as readers of some projects have them, in the schema hookdrift_scoped, which is empty before:
-- its views have the names of tables. See sqlite.sql, which says why each is so. Every transaction of such a reader sets
-- whose they are: ids of the readers' projects (scope.projects), of lists of services that have one of them
-- (scope.services) and of lists that may have more (scope.lists), and the names of the projects (scope.names). Without
-- these, every view fails.

CREATE VIEW hookdrift_scoped.migration AS SELECT version, applied_at FROM hookdrift.migration;

CREATE VIEW hookdrift_scoped.lease AS SELECT 'moved to another place' AS host, taken_at FROM hookdrift.lease
  WHERE host LIKE 'moved to %';

CREATE VIEW hookdrift_scoped.checkpoint AS SELECT id, made_at FROM hookdrift.checkpoint;

CREATE VIEW hookdrift_scoped.run AS
  SELECT number, state, started_at, finished_at, NULL::integer AS exit_code, fail_on, tool_version, policy_digest,
         configuration_digest, seal_key_id, normal_form_version, version_floor, violation_floor, rules_document,
         previous, part_digests, chain
  FROM hookdrift.run;

CREATE VIEW hookdrift_scoped.document AS
  SELECT id, sha256, jsonb_set(jsonb_set(jsonb_set(jsonb_set(jsonb_set(jsonb_set(jsonb_set(body::jsonb,
    '{policy,exceptions}',
    (SELECT coalesce(jsonb_agg(e.value || '{"match":null,"projects":null}'), '[]')
     FROM jsonb_array_elements(body::jsonb #> '{policy,exceptions}') e WHERE e.value ->> 'projects' IS NULL
       OR EXISTS (SELECT 1 FROM jsonb_array_elements_text(e.value -> 'projects') g
         CROSS JOIN unnest(current_setting('scope.names')::text[]) AS n (name)
         WHERE n.name LIKE replace(replace(replace(replace(replace(g.value,
           '!', '!!'), '%', '!%'), '_', '!_'), '*', '%'), '\%', '*') ESCAPE '!')), false),
    '{policy,waivers}',
    (SELECT coalesce(jsonb_agg(e.value || '{"projects":null}'), '[]')
     FROM jsonb_array_elements(body::jsonb #> '{policy,waivers}') e WHERE e.value ->> 'projects' IS NULL
       OR EXISTS (SELECT 1 FROM jsonb_array_elements_text(e.value -> 'projects') g
         CROSS JOIN unnest(current_setting('scope.names')::text[]) AS n (name)
         WHERE n.name LIKE replace(replace(replace(replace(replace(g.value,
           '!', '!!'), '%', '!%'), '_', '!_'), '*', '%'), '\%', '*') ESCAPE '!')), false),
    '{policy,windows}',
    (SELECT coalesce(jsonb_agg(e.value || '{"projects":null}'), '[]')
     FROM jsonb_array_elements(body::jsonb #> '{policy,windows}') e WHERE e.value ->> 'projects' IS NULL
       OR EXISTS (SELECT 1 FROM jsonb_array_elements_text(e.value -> 'projects') g
         CROSS JOIN unnest(current_setting('scope.names')::text[]) AS n (name)
         WHERE n.name LIKE replace(replace(replace(replace(replace(g.value,
           '!', '!!'), '%', '!%'), '_', '!_'), '*', '%'), '\%', '*') ESCAPE '!')), false),
    '{scope,gateways}',
    (SELECT coalesce(jsonb_agg(e.value), '[]') FROM jsonb_array_elements(body::jsonb #> '{scope,gateways}') e
     WHERE EXISTS (SELECT 1 FROM unnest(current_setting('scope.names')::text[]) AS n (name)
       WHERE substr(n.name, 1, length(e.value ->> 'service') + 1) = (e.value ->> 'service') || '/')), false),
    '{scope,unscanned}',
    (SELECT coalesce(jsonb_agg(e.value), '[]') FROM jsonb_array_elements(body::jsonb #> '{scope,unscanned}') e
     WHERE e.value #>> '{}' = ANY (current_setting('scope.names')::text[])), false),
    '{scope,schedules}',
    (SELECT coalesce(jsonb_agg(e.value || '{"name":""}'), '[]')
     FROM jsonb_array_elements(body::jsonb #> '{scope,schedules}') e), false),
    '{scope,schedule}', 'null', false)::text AS body
  FROM hookdrift.document;

CREATE VIEW hookdrift_scoped.project AS
  SELECT * FROM hookdrift.project
  WHERE id = ANY (current_setting('scope.projects')::bigint[]) OR id = ANY (current_setting('scope.services')::bigint[])
    OR id = ANY (current_setting('scope.lists')::bigint[]);

CREATE VIEW hookdrift_scoped.evaluation AS
  SELECT * FROM hookdrift.evaluation WHERE project_id = ANY (current_setting('scope.projects')::bigint[]);

CREATE VIEW hookdrift_scoped.scan AS
  SELECT * FROM hookdrift.scan
  WHERE project_id = ANY (current_setting('scope.projects')::bigint[])
    OR project_id = ANY (current_setting('scope.services')::bigint[])
    OR (project_id = ANY (current_setting('scope.lists')::bigint[]) AND EXISTS (SELECT 1 FROM hookdrift.walk w
      WHERE w.run = scan.run AND w.project_id = scan.project_id AND w.status NOT IN ('complete', 'skipped')));

CREATE VIEW hookdrift_scoped.walk AS
  SELECT run, project_id, listing, status, cause,
         CASE WHEN NOT is_own THEN 'the list of projects was not read to its end: projects may be missing'
           WHEN cause = 'foreign' THEN 'the answer is of another project: the key is not one for this project'
           ELSE reason END AS reason,
         CASE WHEN is_own THEN filter END AS filter, CASE WHEN is_own THEN pages ELSE 0 END AS pages,
         CASE WHEN is_own THEN items ELSE 0 END AS items, CASE WHEN is_own THEN requests ELSE 0 END AS requests,
         CASE WHEN is_own THEN retries ELSE 0 END AS retries,
         CASE WHEN is_own THEN duration_ms ELSE 0 END AS duration_ms,
         CASE WHEN is_own THEN shape END AS shape, total, oldest_at, since_run, since_at
  FROM (SELECT *, project_id = ANY (current_setting('scope.projects')::bigint[]) AS is_own
        FROM hookdrift.walk) AS w
  WHERE is_own
    OR (project_id = ANY (current_setting('scope.lists')::bigint[]) AND status NOT IN ('complete', 'skipped'));

CREATE VIEW hookdrift_scoped.first_complete_walk AS
  SELECT * FROM hookdrift.first_complete_walk WHERE project_id = ANY (current_setting('scope.projects')::bigint[]);

CREATE VIEW hookdrift_scoped.version AS
  SELECT * FROM hookdrift.version WHERE project_id = ANY (current_setting('scope.projects')::bigint[]);

CREATE VIEW hookdrift_scoped.unreferenced AS
  SELECT * FROM hookdrift.unreferenced WHERE project_id = ANY (current_setting('scope.projects')::bigint[]);

CREATE VIEW hookdrift_scoped.change AS
  SELECT * FROM hookdrift.change WHERE project_id = ANY (current_setting('scope.projects')::bigint[]);

CREATE VIEW hookdrift_scoped.violation AS
  SELECT * FROM hookdrift.violation
  WHERE project_id = ANY (current_setting('scope.projects')::bigint[])
    OR (project_id = ANY (current_setting('scope.services')::bigint[]) AND kind = 'service');

CREATE VIEW hookdrift_scoped.acceptance AS
  SELECT * FROM hookdrift.acceptance WHERE project_id = ANY (current_setting('scope.projects')::bigint[]);

CREATE VIEW hookdrift_scoped.recorded_note AS
  SELECT id, at, text, ref, noted_at, noted_by, noted_as, noted_in,
         (SELECT coalesce(jsonb_agg(e.value), '[]')::text FROM jsonb_array_elements(projects::jsonb) e
          WHERE e.value #>> '{}' = ANY (current_setting('scope.names')::text[])) AS projects
  FROM hookdrift.recorded_note
  WHERE projects = '[]'
    OR EXISTS (SELECT 1 FROM jsonb_array_elements(projects::jsonb) e
      WHERE e.value #>> '{}' = ANY (current_setting('scope.names')::text[]));

CREATE VIEW hookdrift_scoped.approval AS
  SELECT * FROM hookdrift.approval WHERE project_id = ANY (current_setting('scope.projects')::bigint[]);

CREATE VIEW hookdrift_scoped.approved_resource AS
  SELECT * FROM hookdrift.approved_resource WHERE approval_id IN (SELECT a.id FROM hookdrift_scoped.approval a);

CREATE VIEW hookdrift_scoped.notice AS
  SELECT * FROM hookdrift.notice
  WHERE project_id = ANY (current_setting('scope.projects')::bigint[])
    OR (project_id IS NULL AND code = 'clock_went_back');

CREATE VIEW hookdrift_scoped.withheld_removal AS
  SELECT * FROM hookdrift.withheld_removal WHERE project_id = ANY (current_setting('scope.projects')::bigint[]);

-- The documented views, over these tables.
DO $$
DECLARE
  path text := current_setting('search_path');
  base regnamespace := (SELECT relnamespace FROM pg_class WHERE oid = 'hookdrift.run'::regclass);
  scoped regnamespace := (SELECT relnamespace FROM pg_class WHERE oid = 'hookdrift_scoped.run'::regclass);
  made record;
BEGIN
  -- The server then writes the schema before each name.
  PERFORM set_config('search_path', '', true);
  FOR made IN SELECT relname, pg_get_viewdef(oid) AS sql FROM pg_class
    WHERE relnamespace = base AND relkind = 'v' AND relname NOT LIKE 'my\_%' ORDER BY oid
  LOOP
    EXECUTE format('CREATE VIEW %s.%I AS %s', scoped, made.relname,
      replace(made.sql, format('%s.', base), format('%s.', scoped)));
  END LOOP;
  PERFORM set_config('search_path', path, true);
  -- A role that has no rights on the tables themselves: see docs/how-to/many-machines.md.
  IF to_regrole('hookdrift_scoped') IS NOT NULL THEN
    GRANT USAGE ON SCHEMA hookdrift_scoped TO hookdrift_scoped;
    GRANT SELECT ON ALL TABLES IN SCHEMA hookdrift_scoped TO hookdrift_scoped;
  END IF;
END $$;

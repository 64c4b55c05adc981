-- The tables of a history as readers of some projects have them, in a connection of their own. A temporary view comes
-- before the table of its name, and the documented views are made over these. What is not here is nothing to them. The
-- sign before a column keeps SQLite from another index than the one that a statement is written for.

-- The projects of the readers.
CREATE TEMP TABLE own_projects (id INTEGER PRIMARY KEY);
-- Lists of the projects of a service, as projects: of services that have one of the readers' projects, and of those
-- that may have more.
CREATE TEMP TABLE own_services (id INTEGER PRIMARY KEY);
CREATE TEMP TABLE own_lists (id INTEGER PRIMARY KEY);
-- The names of the projects as of their last scans, and of those that no run scanned.
CREATE TEMP TABLE own_names (name TEXT PRIMARY KEY) WITHOUT ROWID;

CREATE TEMP VIEW migration AS SELECT version, applied_at FROM main.migration;

-- The place of a history is that of all projects.
CREATE TEMP VIEW lease AS SELECT 'moved to another place' AS host, taken_at FROM main.lease
  WHERE host LIKE 'moved to %';

CREATE TEMP VIEW checkpoint AS SELECT id, made_at FROM main.checkpoint;

-- The verdict of a run counts all projects.
CREATE TEMP VIEW run AS
  SELECT number, state, started_at, finished_at, NULL AS exit_code, fail_on, tool_version, policy_digest,
         configuration_digest, seal_key_id, normal_form_version, version_floor, violation_floor, rules_document,
         previous, part_digests, chain
  FROM main.run;

-- The rules of a run, what its policy leaves out and what it was to cover. A waiver, an override or a window for other
-- projects only is not the readers' to know, nor are the names of what another one is for; the name of a schedule may be that of a project.
CREATE TEMP VIEW document AS
  SELECT id, sha256, json_replace(body,
    '$.policy.exceptions', json((SELECT json_group_array(json_set(e.value, '$.match', NULL, '$.projects', NULL))
      FROM json_each(body, '$.policy.exceptions') e WHERE e.value ->> 'projects' IS NULL
        OR EXISTS (SELECT 1 FROM json_each(e.value, '$.projects') g CROSS JOIN own_names o
          WHERE o.name GLOB replace(replace(replace(g.value, '[', '[[]'), '?', '[?]'), '\*', '[*]')))),
    '$.policy.waivers', json((SELECT json_group_array(json_set(e.value, '$.projects', NULL))
      FROM json_each(body, '$.policy.waivers') e WHERE e.value ->> 'projects' IS NULL
        OR EXISTS (SELECT 1 FROM json_each(e.value, '$.projects') g CROSS JOIN own_names o
          WHERE o.name GLOB replace(replace(replace(g.value, '[', '[[]'), '?', '[?]'), '\*', '[*]')))),
    '$.policy.windows', json((SELECT json_group_array(json_set(e.value, '$.projects', NULL))
      FROM json_each(body, '$.policy.windows') e WHERE e.value ->> 'projects' IS NULL
        OR EXISTS (SELECT 1 FROM json_each(e.value, '$.projects') g CROSS JOIN own_names o
          WHERE o.name GLOB replace(replace(replace(g.value, '[', '[[]'), '?', '[?]'), '\*', '[*]')))),
    '$.scope.gateways', json((SELECT json_group_array(json(e.value)) FROM json_each(body, '$.scope.gateways') e
      WHERE EXISTS (SELECT 1 FROM own_names o
        WHERE substr(o.name, 1, length(e.value ->> 'service') + 1) = (e.value ->> 'service') || '/'))),
    '$.scope.unscanned', json((SELECT json_group_array(e.value) FROM json_each(body, '$.scope.unscanned') e
      WHERE e.value IN (SELECT o.name FROM own_names o))),
    '$.scope.schedules', json((SELECT json_group_array(json_set(e.value, '$.name', ''))
      FROM json_each(body, '$.scope.schedules') e)),
    '$.scope.schedule', NULL) AS body
  FROM main.document;

CREATE TEMP VIEW project AS
  SELECT * FROM main.project
  WHERE +id IN (SELECT id FROM own_projects UNION SELECT id FROM own_services UNION SELECT id FROM own_lists);

CREATE TEMP VIEW evaluation AS SELECT * FROM main.evaluation WHERE +project_id IN (SELECT id FROM own_projects);

-- A list that was read says how many projects there are. What is found of a service is seen in any case.
CREATE TEMP VIEW scan AS
  SELECT * FROM main.scan
  WHERE +project_id IN (SELECT id FROM own_projects) OR +project_id IN (SELECT id FROM own_services)
    OR (+project_id IN (SELECT id FROM own_lists) AND EXISTS (SELECT 1 FROM main.walk w
      WHERE w.run = scan.run AND w.project_id = scan.project_id AND w.status NOT IN ('complete', 'skipped')));

-- Nothing of what a list would have shown or did show. Answers of another project name that one in their reason.
CREATE TEMP VIEW walk AS
  SELECT run, project_id, listing, status, cause,
         CASE WHEN NOT is_own THEN 'the list of projects was not read to its end: projects may be missing'
           WHEN cause = 'foreign' THEN 'the answer is of another project: the key is not one for this project'
           ELSE reason END AS reason,
         CASE WHEN is_own THEN filter END AS filter, CASE WHEN is_own THEN pages ELSE 0 END AS pages,
         CASE WHEN is_own THEN items ELSE 0 END AS items, CASE WHEN is_own THEN requests ELSE 0 END AS requests,
         CASE WHEN is_own THEN retries ELSE 0 END AS retries,
         CASE WHEN is_own THEN duration_ms ELSE 0 END AS duration_ms,
         CASE WHEN is_own THEN shape END AS shape, total, oldest_at, since_run, since_at
  FROM (SELECT *, +project_id IN (SELECT id FROM own_projects) AS is_own FROM main.walk)
  WHERE is_own OR (+project_id IN (SELECT id FROM own_lists) AND status NOT IN ('complete', 'skipped'));

CREATE TEMP VIEW first_complete_walk AS
  SELECT * FROM main.first_complete_walk WHERE +project_id IN (SELECT id FROM own_projects);

CREATE TEMP VIEW version AS SELECT * FROM main.version WHERE +project_id IN (SELECT id FROM own_projects);

CREATE TEMP VIEW unreferenced AS SELECT * FROM main.unreferenced WHERE +project_id IN (SELECT id FROM own_projects);

CREATE TEMP VIEW change AS SELECT * FROM main.change WHERE +project_id IN (SELECT id FROM own_projects);

CREATE TEMP VIEW violation AS
  SELECT * FROM main.violation
  WHERE +project_id IN (SELECT id FROM own_projects)
    OR (+project_id IN (SELECT id FROM own_services) AND kind = 'service');

CREATE TEMP VIEW acceptance AS SELECT * FROM main.acceptance WHERE +project_id IN (SELECT id FROM own_projects);

CREATE TEMP VIEW recorded_note AS
  SELECT id, at, text, ref, noted_at, noted_by, noted_as, noted_in,
         (SELECT json_group_array(e.value) FROM json_each(projects) e
          WHERE e.value IN (SELECT o.name FROM own_names o)) AS projects
  FROM main.recorded_note
  WHERE projects = '[]'
    OR EXISTS (SELECT 1 FROM json_each(projects) e WHERE e.value IN (SELECT o.name FROM own_names o));

CREATE TEMP VIEW approval AS SELECT * FROM main.approval WHERE +project_id IN (SELECT id FROM own_projects);

CREATE TEMP VIEW approved_resource AS
  SELECT * FROM main.approved_resource WHERE +approval_id IN (SELECT a.id FROM approval a);

-- Of those about a run as a whole, only this one is known to name no project.
CREATE TEMP VIEW notice AS
  SELECT * FROM main.notice
  WHERE +project_id IN (SELECT id FROM own_projects) OR (project_id IS NULL AND code = 'clock_went_back');

CREATE TEMP VIEW withheld_removal AS
  SELECT * FROM main.withheld_removal WHERE +project_id IN (SELECT id FROM own_projects);

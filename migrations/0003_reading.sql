-- Indexes for questions to the history: a resource's life, a state of the past, what lies between two runs.

-- With to_run in it, who stood in a run is told from the index alone.
DROP INDEX version_of_resource;
CREATE INDEX version_of_resource ON version (project_id, kind, uid, from_run, to_run);
CREATE INDEX version_ended ON version (to_run) WHERE to_run IS NOT NULL;

-- Who refers to an endpoint, a source or a device: the uid as JSON text, as it stands in the body.
CREATE INDEX version_to_endpoint ON version (project_id, body -> '$.endpoint_uid') WHERE kind = 'subscription';
CREATE INDEX version_to_source ON version (project_id, body -> '$.source_uid') WHERE kind = 'subscription';
CREATE INDEX version_to_device ON version (project_id, body -> '$.device_uid')
  WHERE kind = 'subscription' AND body -> '$.device_uid' <> 'null';

CREATE INDEX violation_of_resource ON violation (project_id, kind, uid);

-- What the last scan of a project leaves so that the next one recognises what did not change. Derived: the chain does
-- not cover it, and without it a run is slow once.

-- Written with the commit of a run: pages without it are nothing.
CREATE TABLE mark_scan (
  project_id INTEGER PRIMARY KEY REFERENCES project,
  seal       BLOB NOT NULL -- for which run the pages hold and under which rules, under a key
) STRICT;

-- A page of a listing; page 0 of the listing '' is what the evaluation of the project left for the end of the run.
CREATE TABLE mark_page (
  project_id INTEGER NOT NULL REFERENCES project,
  listing    TEXT NOT NULL,
  page       INTEGER NOT NULL,
  run        INTEGER NOT NULL, -- that drafted it; once it is committed, older rows of the page go
  digest     BLOB NOT NULL,    -- of the bytes of the page, under a key
  body       BLOB NOT NULL,    -- of its items: keyed digests, versions, until when what was found in them holds
  PRIMARY KEY (project_id, listing, page, run)
) STRICT;
CREATE INDEX mark_page_of_run ON mark_page (run);

-- What the last scan of a project leaves so that the next one recognises what did not change. Derived: the chain does
-- not cover it, and without it a run is slow once. Written in the transaction that commits a run, and only there.

CREATE TABLE mark_scan (
  project_id INTEGER PRIMARY KEY REFERENCES project,
  seal       BLOB NOT NULL, -- for which run it holds and under which rules, under a key
  outcome    BLOB           -- what the evaluation of the project left for the end of the run
) STRICT;

CREATE TABLE mark_page (
  project_id INTEGER NOT NULL REFERENCES mark_scan ON DELETE CASCADE,
  listing    TEXT NOT NULL,
  page       INTEGER NOT NULL,
  digest     BLOB NOT NULL, -- of the bytes of the page, under a key
  body       BLOB NOT NULL, -- of its items: keyed digests, versions, until when what was found in them holds
  PRIMARY KEY (project_id, listing, page)
) STRICT, WITHOUT ROWID;

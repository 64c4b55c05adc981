-- Messages to people: written in the transaction that seals the run they tell of, kept until they were delivered.

CREATE TABLE channel (
  name         TEXT PRIMARY KEY,
  written      INTEGER NOT NULL DEFAULT 0, -- its messages are numbered from 1 to this
  dropped      INTEGER NOT NULL DEFAULT 0, -- those up to this one were settled long ago and are no longer kept
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
  settled_at  TEXT,             -- when it was delivered or given up
  UNIQUE (channel, number)
) STRICT;
CREATE INDEX notification_waiting ON notification (channel, number) WHERE state = 'pending';
CREATE INDEX notification_dead ON notification (channel) WHERE state = 'dead';

-- Looks at projects that nobody was told of, because a signal cut the run short: the next look tells for both.
CREATE TABLE untold (
  project_id INTEGER NOT NULL REFERENCES project,
  run        INTEGER NOT NULL,
  PRIMARY KEY (project_id, run)
) STRICT, WITHOUT ROWID;

-- Whether a violation stood before.
CREATE INDEX violation_of_fingerprint ON violation (fingerprint);

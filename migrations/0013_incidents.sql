-- A channel that opens incidents remembers which are open and what each is about, to close them when all of it is over.

CREATE TABLE incident (
  channel TEXT NOT NULL REFERENCES channel,
  subject TEXT NOT NULL, -- the fingerprint of a violation, or a listing of a project
  key     TEXT NOT NULL, -- by which the receiver knows the incident
  PRIMARY KEY (channel, subject)
) STRICT, WITHOUT ROWID;

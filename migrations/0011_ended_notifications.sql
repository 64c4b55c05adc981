-- A notification ends when it is delivered or given up.
ALTER TABLE notification RENAME COLUMN settled_at TO ended_at;

-- The run whose link covers an approval, and the one that covers its being revoked: the runs sealed next.
ALTER TABLE approval ADD COLUMN approved_in INTEGER;
ALTER TABLE approval ADD COLUMN revoked_in INTEGER;

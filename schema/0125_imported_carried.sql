-- The last run's rights, teams, addresses and numbers of a person, and the domains of an organization. A further
-- run follows the source in what the source has changed since, and leaves the rest as this desk has it.
ALTER TABLE imported_ids ADD COLUMN carried TEXT; -- JSON (src/transfer/foreign_follow.c); NULL: not known

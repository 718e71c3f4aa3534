-- Raised by each change of the addresses by which a person logs in. A remembered password counts only for the version
-- it was proved under.
ALTER TABLE users ADD COLUMN logins_version BIGINT NOT NULL DEFAULT 0;

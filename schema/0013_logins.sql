-- Raised by whatever changes by which addresses a person logs in: what a password proved is remembered under it.
ALTER TABLE users ADD COLUMN logins_version BIGINT NOT NULL DEFAULT 0;

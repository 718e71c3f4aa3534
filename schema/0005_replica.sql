-- Last write of the session, in steps of a second. It decides whether a replica may serve its reads
-- (src/db/postgres_replica.c).
ALTER TABLE sessions ADD COLUMN wrote_at BIGINT NOT NULL DEFAULT 0;

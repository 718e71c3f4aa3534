-- When this session last wrote, to a second: what it wrote is read where it is certain to be (src/db/postgres_replica.c).
ALTER TABLE sessions ADD COLUMN wrote_at BIGINT NOT NULL DEFAULT 0;

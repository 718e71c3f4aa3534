-- The audit log (docs/PROGRAMS.md, "Audit log"; src/core/change/audit.h).

CREATE TABLE audit_entries (
    id @ID@,
    seq BIGINT UNIQUE,                 -- place in the chain; NULL: not yet chained
    action INTEGER NOT NULL,           -- enum audit_action
    actor_id BIGINT,                   -- no foreign key, because entries outlive their objects
    actor_kind INTEGER NOT NULL,
    object_type TEXT,
    object_id BIGINT,
    happened_at BIGINT NOT NULL,
    values_hash TEXT NOT NULL,         -- MAC over the details, the cause and their salt
    origin_hash TEXT NOT NULL,         -- MAC over the address and the salt
    entry_hash TEXT NOT NULL,          -- MAC over the columns from action to origin_hash
    chain TEXT                         -- MAC over the chain before, seq and entry_hash; NULL: not yet chained
);
CREATE INDEX audit_entries_of_actor ON audit_entries (actor_id, id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_entries_of_object ON audit_entries (object_id, object_type, id) WHERE object_id IS NOT NULL;
CREATE INDEX audit_entries_of_action ON audit_entries (action, id);
CREATE INDEX audit_entries_at ON audit_entries (happened_at, id);
CREATE INDEX audit_entries_open ON audit_entries (id) WHERE seq IS NULL;

-- The row of an entry is deleted when its values are erased. The address may be erased alone.
CREATE TABLE audit_values (
    entry_id BIGINT NOT NULL PRIMARY KEY,
    cause TEXT,
    ip_address TEXT,
    details TEXT NOT NULL,             -- JSON object
    salt TEXT NOT NULL                 -- part of both hashes, so that erased values can't be guessed from them
);

CREATE TABLE audit_anchors (
    seq BIGINT NOT NULL PRIMARY KEY,   -- verification begins after this place
    chain TEXT NOT NULL,
    anchored_at BIGINT NOT NULL
);

-- Failed logins become entries in groups (src/core/login/failures.c).
ALTER TABLE login_failures ADD COLUMN user_id BIGINT;                     -- the person, if the account exists
ALTER TABLE login_failures ADD COLUMN locks INTEGER NOT NULL DEFAULT 0;   -- 1: the lock-out began with this failure
ALTER TABLE login_failures ADD COLUMN audited INTEGER NOT NULL DEFAULT 0; -- 1: an entry counts it
CREATE INDEX login_failures_unaudited ON login_failures (created_at) WHERE audited = 0;

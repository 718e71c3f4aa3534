-- Contents of files in an object store (src/files/remote.c).
CREATE TABLE content_removals (
    sha256 TEXT PRIMARY KEY,
    state INTEGER NOT NULL, -- 1 waiting, 2 deleting, 3 gone
    due_at BIGINT NOT NULL  -- of the next step
);
CREATE INDEX content_removals_due ON content_removals (due_at);
-- The name of this desk, which is in its bucket, too. One row at most.
CREATE TABLE content_store (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL -- random hex digits
);

-- Receipts of erasures (docs/PROGRAMS.md, "Erasure"). They hold no value that identifies the person.

CREATE TABLE erasures (
    id @ID@,
    user_id BIGINT NOT NULL,           -- no foreign key, because the receipt outlives the person's row
    requested_by_id BIGINT,
    with_contents INTEGER NOT NULL,
    status INTEGER NOT NULL,           -- enum erasure_status
    removed TEXT,                      -- JSON: what, with counts; NULL: not done yet
    kept TEXT,                         -- JSON: what, with counts and reasons; NULL: not done yet
    created_at BIGINT NOT NULL,
    completed_at BIGINT
);
CREATE INDEX erasures_of_user ON erasures (user_id, id);

-- What an erasure looks for in texts: addresses and numbers, and names in quotation marks, in small letters. Deleted at its end.
CREATE TABLE erasure_values (
    user_id BIGINT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (user_id, value)
);

-- What an erasure that runs has removed. Deleted at its end.
CREATE TABLE erasure_counts (
    user_id BIGINT NOT NULL,
    what INTEGER NOT NULL,             -- enum erased
    n BIGINT NOT NULL,
    PRIMARY KEY (user_id, what)
);

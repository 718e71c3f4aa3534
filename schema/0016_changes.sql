-- Time of the last change, or deletion, of things that many rows show (src/core/change/last_change.h).

CREATE TABLE changes (
    what TEXT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL
);

INSERT INTO changes (what, at) SELECT 'custom_fields', MAX(f.updated_at) FROM custom_fields f HAVING COUNT(*) > 0;

-- The search index follows the change log (src/core/search/follow.h): the place up to which it has. One row.
CREATE TABLE search_cursor (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    place TEXT NOT NULL -- change_cursor_text of src/core/change/log.h
);
-- Earlier versions wrote the index with each change.
INSERT INTO search_cursor (id, place) SELECT 1, '1|' || @STORE@ || '|' || e.place || '|' || e.place || '|' || e.last
    FROM (SELECT CAST(@AFTER(change_log) AS VARCHAR) AS place, CAST(COALESCE(MAX(id), 0) AS VARCHAR) AS last FROM change_log) e;
-- No reader of the change log inside of deskd works under a lease.
ALTER TABLE leases DROP COLUMN place;

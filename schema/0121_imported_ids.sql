-- Rows that `deskd import --from-api` has carried (src/transfer/imported.h), so that the next run finds them.
CREATE TABLE import_sources (
    id @ID@,
    address TEXT NOT NULL UNIQUE, -- of the API of the other server
    created_at BIGINT NOT NULL,
    imported_at BIGINT NOT NULL   -- the last run that came to its end; 0: none
);
CREATE TABLE imported_ids (
    source_id BIGINT NOT NULL REFERENCES import_sources (id),
    kind TEXT NOT NULL,         -- type of the row at the source
    foreign_id BIGINT NOT NULL, -- its id at the source
    here_id BIGINT NOT NULL,    -- its id here. The row may have been deleted since
    changed_at BIGINT NOT NULL, -- its updated_at at the source, when it was carried; 0: not known
    PRIMARY KEY (source_id, kind, foreign_id)
)@SQLITE{ WITHOUT ROWID}@;

-- Dry runs of CSV imports (src/res/csv_trial.c). A dry run undoes each part of the file, so it keeps here what the rows of a part
-- have made or changed, if rows of a later part may meet it.
ALTER TABLE csv_imports ADD COLUMN repeats @BLOB@; -- bits of the keys that several rows have (src/res/csv_repeats.c); NULL: none
CREATE TABLE csv_import_changes (
    id @ID@,
    import_id BIGINT NOT NULL REFERENCES csv_imports (id) ON DELETE CASCADE,
    cells @BLOB@ NOT NULL -- encrypted: the cells of all rows of one person or organization, as one row
);
CREATE INDEX csv_import_changes_of ON csv_import_changes (import_id);
CREATE TABLE csv_import_keys (
    import_id BIGINT NOT NULL REFERENCES csv_imports (id) ON DELETE CASCADE,
    key_hash BIGINT NOT NULL, -- of an address, number, name, id in another system, or id of the row
    change_id BIGINT NOT NULL REFERENCES csv_import_changes (id) ON DELETE CASCADE,
    PRIMARY KEY (import_id, key_hash, change_id)
);
CREATE INDEX csv_import_keys_of ON csv_import_keys (change_id);

-- Imports of people and organizations from CSV files (src/res/csv_import.c). A job reads the file in parts and keeps its place here.
CREATE TABLE csv_imports (
    id @ID@,
    kind INTEGER NOT NULL, -- 1 people, 2 organizations
    status INTEGER NOT NULL, -- as that of jobs
    existing INTEGER NOT NULL, -- rows of people who are there: 1 update, 2 skip
    is_dry_run INTEGER NOT NULL,
    file_id BIGINT REFERENCES files (id), -- until the import has ended
    encoding INTEGER NOT NULL, -- 1 UTF-8, 2 UTF-16, 3 Windows-1252
    delimiter INTEGER NOT NULL, -- 1 comma, 2 semicolon, 3 tab
    columns TEXT NOT NULL, -- JSON array of {"header", "column"}; column null: it is ignored
    creator_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    size BIGINT NOT NULL, -- bytes of the file
    position BIGINT NOT NULL, -- bytes that were read; the next part begins there
    line_seq BIGINT NOT NULL, -- the line there
    row_seq BIGINT NOT NULL, -- rows before it, that of the names included
    created_count BIGINT NOT NULL DEFAULT 0,
    updated_count BIGINT NOT NULL DEFAULT 0,
    skipped_count BIGINT NOT NULL DEFAULT 0,
    rejected_count BIGINT NOT NULL DEFAULT 0,
    error_count BIGINT NOT NULL DEFAULT 0,
    failure TEXT, -- why the file could not be read to its end
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX csv_imports_files ON csv_imports (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX csv_imports_creators ON csv_imports (creator_id);
CREATE INDEX csv_imports_old ON csv_imports (created_at);
CREATE TABLE csv_import_errors (
    id @ID@,
    import_id BIGINT NOT NULL REFERENCES csv_imports (id) ON DELETE CASCADE,
    line_seq BIGINT NOT NULL,
    header TEXT, -- name of the column in the file; NULL: the whole row
    code TEXT NOT NULL,
    message TEXT NOT NULL
);
CREATE INDEX csv_import_errors_of ON csv_import_errors (import_id, id);

-- Tags that were merged or deleted, until the cascade has changed all rows that have them (src/core/rules/tag_change.c).
@SQLITE{
CREATE TABLE new_tags (
    id @ID@,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,          -- fold_key of name
    created_at BIGINT NOT NULL,
    gone BIGINT NOT NULL DEFAULT 0,  -- 0, or the id of a tag that is merged or deleted. A deleted one has no name, a merged one that of the surviving one
    merged_into_id BIGINT REFERENCES tags (id)
);
INSERT INTO new_tags (id, name, name_key, created_at) SELECT id, name, name_key, created_at FROM tags ORDER BY id;
DELETE FROM sqlite_sequence WHERE name = 'new_tags';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_tags', s.seq FROM sqlite_sequence s WHERE s.name = 'tags';
DROP TABLE tags;
ALTER TABLE new_tags RENAME TO tags;
}@
@POSTGRES{
ALTER TABLE tags DROP CONSTRAINT tags_name_key_key;
ALTER TABLE tags ADD COLUMN gone BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tags ADD COLUMN merged_into_id BIGINT REFERENCES tags (id);
}@
CREATE UNIQUE INDEX tags_by_key ON tags (name_key, gone);
CREATE INDEX tags_merged ON tags (merged_into_id) WHERE merged_into_id IS NOT NULL;
CREATE INDEX tags_gone ON tags (id) WHERE gone <> 0;

-- Posts of a person are counted in these indexes, without the rows.
DROP INDEX posts_by_creator;
DROP INDEX notes_by_author;
CREATE INDEX posts_by_creator ON posts (creator_id, id, case_id);
CREATE INDEX notes_by_author ON notes (user_id, id, case_id) WHERE case_id IS NOT NULL;

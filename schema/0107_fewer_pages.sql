-- Fewer pages of a write (docs/BENCHMARKS.md, "Writes").

-- Ids of the tables that most writes insert into without AUTOINCREMENT, which writes sqlite_sequence at each INSERT. The next id is above those of
-- the rows and above the highest that was deleted, as sqlite_sequence has it. Posts, notes and activities share one (docs/ARCHITECTURE.md,
-- "Ids of posts").
@SQLITE{
UPDATE sqlite_sequence SET seq = (SELECT MAX(s.seq) FROM sqlite_sequence s WHERE s.name IN ('posts', 'notes', 'activities')) WHERE name = 'posts';
DELETE FROM sqlite_sequence WHERE name IN ('notes', 'activities');
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'INTEGER PRIMARY KEY AUTOINCREMENT', 'INTEGER PRIMARY KEY')
    WHERE type = 'table' AND name IN ('posts', 'notes', 'activities', 'cases');
PRAGMA writable_schema = RESET;
CREATE TRIGGER posts_keep_id AFTER DELETE ON posts WHEN OLD.id > (SELECT COALESCE(MAX(p.id), 0) FROM posts p) BEGIN
    UPDATE sqlite_sequence SET seq = OLD.id WHERE name = 'posts' AND seq < OLD.id; END;
CREATE TRIGGER notes_keep_id AFTER DELETE ON notes WHEN OLD.id > (SELECT COALESCE(MAX(n.id), 0) FROM notes n) BEGIN
    UPDATE sqlite_sequence SET seq = OLD.id WHERE name = 'posts' AND seq < OLD.id; END;
CREATE TRIGGER activities_keep_id AFTER DELETE ON activities WHEN OLD.id > (SELECT COALESCE(MAX(v.id), 0) FROM activities v) BEGIN
    UPDATE sqlite_sequence SET seq = OLD.id WHERE name = 'posts' AND seq < OLD.id; END;
CREATE TRIGGER cases_keep_id AFTER DELETE ON cases WHEN OLD.id > (SELECT COALESCE(MAX(k.id), 0) FROM cases k) BEGIN
    UPDATE sqlite_sequence SET seq = OLD.id WHERE name = 'cases' AND seq < OLD.id; END;
}@

-- Each statement finds markers by their conversation, so this is the order of the table, and needs no second index.
DROP INDEX read_markers_of_case;
@SQLITE{
CREATE TABLE markers_in_case (
    case_id BIGINT NOT NULL REFERENCES cases (id),
    user_id BIGINT NOT NULL REFERENCES users (id),
    last_read_post_id BIGINT,
    last_read_seq BIGINT NOT NULL,
    last_read_at BIGINT NOT NULL,
    PRIMARY KEY (case_id, user_id)
) WITHOUT ROWID;
INSERT INTO markers_in_case SELECT case_id, user_id, last_read_post_id, last_read_seq, last_read_at FROM read_markers ORDER BY case_id, user_id;
DROP TABLE read_markers;
ALTER TABLE markers_in_case RENAME TO read_markers;
}@
@POSTGRES{
ALTER TABLE read_markers DROP CONSTRAINT read_markers_pkey;
ALTER TABLE read_markers ADD PRIMARY KEY (case_id, user_id);
}@

-- A list sorts the notes of its conversation, which notes_in_case finds, too.
DROP INDEX notes_of_case;

-- Messages, notes and activities are posts and take their ids from one space (docs/ARCHITECTURE.md, "Ids of posts").
-- Messages keep their ids. (1) A note with the id of a message gets a new id. (2) Activities are listed by id, so all activities from the
-- first collision on get ids after all others, in their order.

CREATE TABLE post_top (id BIGINT NOT NULL); -- the highest id ever assigned
@SQLITE{
INSERT INTO post_top (id) SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name IN ('posts', 'notes', 'activities');
}@
@POSTGRES{
INSERT INTO post_top (id) SELECT MAX(CASE WHEN s.is_called THEN s.last_value ELSE 0 END) FROM
    (SELECT * FROM posts_id_seq UNION ALL SELECT * FROM notes_id_seq UNION ALL SELECT * FROM activities_id_seq) s;
}@
UPDATE change_log SET object_id = object_id + (SELECT id FROM post_top)
    WHERE kind = 'note' AND EXISTS (SELECT 1 FROM posts p WHERE p.id = change_log.object_id);
UPDATE notes SET id = id + (SELECT id FROM post_top) WHERE EXISTS (SELECT 1 FROM posts p WHERE p.id = notes.id);

UPDATE post_top SET id = x.top FROM (SELECT MAX(t.id) AS top FROM (SELECT id FROM post_top UNION ALL SELECT MAX(id) FROM notes) t) x;
CREATE TABLE post_first (id BIGINT NOT NULL); -- the first activity with the id of a message or a note
INSERT INTO post_first (id) SELECT MIN(a.id) FROM activities a
    WHERE EXISTS (SELECT 1 FROM posts p WHERE p.id = a.id) OR EXISTS (SELECT 1 FROM notes n WHERE n.id = a.id) HAVING MIN(a.id) IS NOT NULL;
UPDATE activities SET id = id + (SELECT id FROM post_top) WHERE id >= (SELECT id FROM post_first);
UPDATE post_top SET id = x.top FROM (SELECT MAX(t.id) AS top FROM (SELECT id FROM post_top UNION ALL SELECT MAX(id) FROM activities) t) x;
DROP TABLE post_first;

-- One counter. On SQLite each table has its own, and an INSERT raises those of the others.
@SQLITE{
INSERT INTO sqlite_sequence (name, seq) SELECT t.name, 0
    FROM (SELECT 'posts' AS name UNION ALL SELECT 'notes' UNION ALL SELECT 'activities') t
    WHERE t.name NOT IN (SELECT s.name FROM sqlite_sequence s);
UPDATE sqlite_sequence SET seq = (SELECT id FROM post_top) WHERE name IN ('posts', 'notes', 'activities');
CREATE TRIGGER posts_take_ids AFTER INSERT ON posts BEGIN
    UPDATE sqlite_sequence SET seq = NEW.id WHERE name IN ('notes', 'activities') AND seq < NEW.id; END;
CREATE TRIGGER notes_take_ids AFTER INSERT ON notes BEGIN
    UPDATE sqlite_sequence SET seq = NEW.id WHERE name IN ('posts', 'activities') AND seq < NEW.id; END;
CREATE TRIGGER activities_take_ids AFTER INSERT ON activities BEGIN
    UPDATE sqlite_sequence SET seq = NEW.id WHERE name IN ('posts', 'notes') AND seq < NEW.id; END;
}@
@POSTGRES{
SELECT setval('posts_id_seq', GREATEST(id, 1), id > 0) FROM post_top;
ALTER TABLE notes ALTER COLUMN id DROP IDENTITY;
ALTER TABLE notes ALTER COLUMN id SET DEFAULT nextval('posts_id_seq');
ALTER TABLE activities ALTER COLUMN id DROP IDENTITY;
ALTER TABLE activities ALTER COLUMN id SET DEFAULT nextval('posts_id_seq');
}@
DROP TABLE post_top;

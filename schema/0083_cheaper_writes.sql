-- The first status of a type is the first row of an index, without a sort.
CREATE INDEX case_statuses_of_type ON case_statuses (type, is_system DESC, sort_order, id) WHERE is_deleted = 0;

-- The triggers of ids of posts (docs/ARCHITECTURE.md, "Ids of posts") find the two rows by their place. sqlite_sequence has no index, so an
-- UPDATE by name compares the names of all tables.
@SQLITE{
DROP TRIGGER posts_take_ids;
DROP TRIGGER notes_take_ids;
DROP TRIGGER activities_take_ids;
CREATE TRIGGER posts_take_ids AFTER INSERT ON posts BEGIN
    UPDATE sqlite_sequence SET seq = NEW.id
        WHERE rowid = (SELECT s.rowid FROM sqlite_sequence s WHERE s.name = 'notes' LIMIT 1) AND seq < NEW.id;
    UPDATE sqlite_sequence SET seq = NEW.id
        WHERE rowid = (SELECT s.rowid FROM sqlite_sequence s WHERE s.name = 'activities' LIMIT 1) AND seq < NEW.id; END;
CREATE TRIGGER notes_take_ids AFTER INSERT ON notes BEGIN
    UPDATE sqlite_sequence SET seq = NEW.id
        WHERE rowid = (SELECT s.rowid FROM sqlite_sequence s WHERE s.name = 'posts' LIMIT 1) AND seq < NEW.id;
    UPDATE sqlite_sequence SET seq = NEW.id
        WHERE rowid = (SELECT s.rowid FROM sqlite_sequence s WHERE s.name = 'activities' LIMIT 1) AND seq < NEW.id; END;
CREATE TRIGGER activities_take_ids AFTER INSERT ON activities BEGIN
    UPDATE sqlite_sequence SET seq = NEW.id
        WHERE rowid = (SELECT s.rowid FROM sqlite_sequence s WHERE s.name = 'posts' LIMIT 1) AND seq < NEW.id;
    UPDATE sqlite_sequence SET seq = NEW.id
        WHERE rowid = (SELECT s.rowid FROM sqlite_sequence s WHERE s.name = 'notes' LIMIT 1) AND seq < NEW.id; END;
}@

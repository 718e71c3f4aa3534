-- As in 0107: no page of sqlite_sequence in a write with a job, a letter or a change of the status. Ids of status changes may be used again, because nothing refers to them.
@SQLITE{
DELETE FROM sqlite_sequence WHERE name = 'case_status_changes';
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'INTEGER PRIMARY KEY AUTOINCREMENT', 'INTEGER PRIMARY KEY')
    WHERE type = 'table' AND name IN ('jobs', 'outgoing_mails', 'case_status_changes');
PRAGMA writable_schema = RESET;
CREATE TRIGGER jobs_keep_id AFTER DELETE ON jobs WHEN OLD.id > (SELECT COALESCE(MAX(j.id), 0) FROM jobs j) BEGIN
    UPDATE sqlite_sequence SET seq = OLD.id WHERE name = 'jobs' AND seq < OLD.id; END;
CREATE TRIGGER outgoing_mails_keep_id AFTER DELETE ON outgoing_mails WHEN OLD.id > (SELECT COALESCE(MAX(m.id), 0) FROM outgoing_mails m) BEGIN
    UPDATE sqlite_sequence SET seq = OLD.id WHERE name = 'outgoing_mails' AND seq < OLD.id; END;
}@

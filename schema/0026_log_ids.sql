-- Ids of the change log on SQLite without AUTOINCREMENT, because AUTOINCREMENT searches sqlite_sequence at each INSERT,
-- which took more than half of the time of an entry. The sweeper keeps the newest entry, so no id is used twice.
@SQLITE{
CREATE TABLE change_log_entries (
    id INTEGER PRIMARY KEY,
    xid @XID@,
    kind TEXT NOT NULL,
    object_id BIGINT NOT NULL,
    case_id BIGINT,
    verb INTEGER NOT NULL,
    property TEXT,
    old_value TEXT,
    new_value TEXT,
    actor_id BIGINT,
    actor_kind INTEGER NOT NULL,
    cause TEXT,
    changed_at BIGINT NOT NULL
);
INSERT INTO change_log_entries SELECT * FROM change_log;
DROP TABLE change_log;
ALTER TABLE change_log_entries RENAME TO change_log;
CREATE INDEX change_log_of_people ON change_log (object_id, id) WHERE kind = 'user';
-- Without entries the ids begin again at 1.
UPDATE change_log_pruned SET pruned_id = 0 WHERE NOT EXISTS (SELECT 1 FROM change_log);
}@

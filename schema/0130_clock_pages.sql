-- Fewer pages of a write, as in 0107 and 0111 (docs/BENCHMARKS.md, "Writes").

-- Clocks have ids without AUTOINCREMENT. An id that a reply has shown does not come again.
@SQLITE{
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'INTEGER PRIMARY KEY AUTOINCREMENT', 'INTEGER PRIMARY KEY')
    WHERE type = 'table' AND name = 'sla_metrics';
PRAGMA writable_schema = RESET;
CREATE TRIGGER sla_metrics_keep_id AFTER DELETE ON sla_metrics WHEN OLD.id > (SELECT COALESCE(MAX(m.id), 0) FROM sla_metrics m) BEGIN
    UPDATE sqlite_sequence SET seq = OLD.id WHERE name = 'sla_metrics' AND seq < OLD.id; END;
}@

-- Changes of the status are found by their conversation alone, so they are in this order, and their ids count within it.
DROP INDEX case_status_changes_of_case;
@SQLITE{
CREATE TABLE status_changes_in_case (
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    id BIGINT NOT NULL,
    at BIGINT NOT NULL,
    from_status_id BIGINT NOT NULL REFERENCES case_statuses (id),
    to_status_id BIGINT NOT NULL REFERENCES case_statuses (id),
    from_state INTEGER NOT NULL,
    to_state INTEGER NOT NULL,
    PRIMARY KEY (case_id, id)
) WITHOUT ROWID;
INSERT INTO status_changes_in_case SELECT case_id, ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY id), at, from_status_id, to_status_id, from_state, to_state
    FROM case_status_changes ORDER BY case_id, id;
DROP TABLE case_status_changes;
ALTER TABLE status_changes_in_case RENAME TO case_status_changes;
}@
@POSTGRES{
ALTER TABLE case_status_changes DROP CONSTRAINT case_status_changes_pkey;
ALTER TABLE case_status_changes ALTER COLUMN id DROP IDENTITY;
UPDATE case_status_changes SET id = n.id FROM (SELECT h.id AS former, ROW_NUMBER() OVER (PARTITION BY h.case_id ORDER BY h.id) AS id FROM case_status_changes h) n
    WHERE case_status_changes.id = n.former;
ALTER TABLE case_status_changes ADD PRIMARY KEY (case_id, id);
}@

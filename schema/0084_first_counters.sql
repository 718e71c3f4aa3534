-- The counters of the tables that most writes insert into come first. SQLite searches sqlite_sequence from its start at each INSERT
-- (docs/BENCHMARKS.md, "Writes").
@SQLITE{
INSERT INTO sqlite_sequence (name, seq) SELECT t.name, 0 FROM (
    SELECT 'posts' AS name UNION ALL SELECT 'activities' UNION ALL SELECT 'notes' UNION ALL SELECT 'cases'
    UNION ALL SELECT 'sla_metrics' UNION ALL SELECT 'case_status_changes' UNION ALL SELECT 'jobs' UNION ALL SELECT 'outgoing_mails') t
    WHERE t.name NOT IN (SELECT s.name FROM sqlite_sequence s);
UPDATE sqlite_sequence SET rowid = CASE name
    WHEN 'posts' THEN -8
    WHEN 'activities' THEN -7
    WHEN 'notes' THEN -6
    WHEN 'cases' THEN -5
    WHEN 'sla_metrics' THEN -4
    WHEN 'case_status_changes' THEN -3
    WHEN 'jobs' THEN -2
    ELSE -1 END -- outgoing_mails
    WHERE name IN ('posts', 'activities', 'notes', 'cases', 'sla_metrics', 'case_status_changes', 'jobs', 'outgoing_mails');
}@

-- Rollups of the agents of conversations with whole records, of teams and these agents with tags, and of tags without other keys (src/core/reports/record.h). All facts are built anew (src/core/reports/follow.h).
DELETE FROM report_days;
DELETE FROM report_facts;
UPDATE report_cursor SET place = '', built = 0;

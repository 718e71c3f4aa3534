-- Whole records of rollups have the conversation, and those of tags are whole (src/core/reports/record.h). All facts are built anew (src/core/reports/follow.h).
DELETE FROM report_days;
DELETE FROM report_facts;
UPDATE report_cursor SET place = '', built = 0;

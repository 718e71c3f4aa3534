-- Rollups of teams with all keys, rollups of conversations, and organizations in blocks (src/core/reports/rollup.h). All facts are built anew (src/core/reports/follow.h).
ALTER TABLE report_facts ADD COLUMN assigned_agent_id BIGINT NOT NULL DEFAULT 0; -- agent_id may be the author of a reply
DELETE FROM report_days;
DELETE FROM report_facts;
UPDATE report_cursor SET place = '', built = 0;

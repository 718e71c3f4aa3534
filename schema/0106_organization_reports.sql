-- Reports by the organization of a conversation. All facts are built anew (src/core/reports/follow.h).
ALTER TABLE report_facts ADD COLUMN organization_id BIGINT NOT NULL DEFAULT 0;
DELETE FROM report_days;
DELETE FROM report_facts;
UPDATE report_cursor SET place = '', built = 0;

-- Conversations that a cascade has moved to another organization, until the follower has computed their facts again. The change log has no entry of such a move.
CREATE TABLE report_pending (
    id @ID@,
    case_id BIGINT NOT NULL
);

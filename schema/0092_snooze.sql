-- Conversations that are put aside for a time, or until the customer replies (docs/CONVERSATIONS.md, "Snooze").
ALTER TABLE cases ADD COLUMN snoozed_at BIGINT; -- NULL: it is not snoozed
ALTER TABLE cases ADD COLUMN snoozed_until BIGINT; -- NULL: until a reply
ALTER TABLE cases ADD COLUMN snoozed_by_id BIGINT REFERENCES users (id);
CREATE INDEX cases_snoozed ON cases (snoozed_until, id) WHERE snoozed_at IS NOT NULL;

-- The last test of a mailbox (src/core/mail/mailbox_test.h). The token is in the subject of the test mail; null: none is awaited.
ALTER TABLE mailboxes ADD COLUMN test_token TEXT;
ALTER TABLE mailboxes ADD COLUMN test_status INTEGER;
ALTER TABLE mailboxes ADD COLUMN test_steps TEXT;
ALTER TABLE mailboxes ADD COLUMN test_started_at BIGINT;
ALTER TABLE mailboxes ADD COLUMN test_arrived_at BIGINT;
ALTER TABLE mailboxes ADD COLUMN test_verdicts TEXT;
ALTER TABLE mailboxes ADD COLUMN test_ended_at BIGINT;

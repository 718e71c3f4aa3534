-- The sweeper deletes old mails that have no conversation (setting mail.mails_kept_days).
CREATE INDEX mails_of_no_case ON mails (created_at) WHERE case_id IS NULL;

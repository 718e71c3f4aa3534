-- Letters of one conversation leave in their order, and may wait so that they can be undone (core/letters/letter_order.c).
ALTER TABLE outgoing_mails ADD COLUMN case_id BIGINT;    -- the conversation; no foreign key, because the mail outlives it
ALTER TABLE outgoing_mails ADD COLUMN job_id BIGINT;     -- the job that sends it, as far as known
ALTER TABLE outgoing_mails ADD COLUMN send_after BIGINT; -- NULL: at once
CREATE INDEX outgoing_mails_case ON outgoing_mails (case_id, id) WHERE case_id IS NOT NULL;

ALTER TABLE cases ADD COLUMN undo_post_id BIGINT;   -- the last reply that may be undone, if it changed the status
ALTER TABLE cases ADD COLUMN undo_status_id BIGINT; -- the status before it

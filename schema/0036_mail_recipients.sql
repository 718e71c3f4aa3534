-- Mails of messages are kept with the message, because case_message shows its recipients. Other finished mails expire (src/jobs/sweep.c).
DROP INDEX outgoing_mails_done;
CREATE INDEX outgoing_mails_done ON outgoing_mails (updated_at) WHERE letter IS NULL AND post_id IS NULL;

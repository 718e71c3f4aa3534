-- Mails that carry a message of staff (docs/CONVERSATIONS.md, "Replies by mail").
ALTER TABLE outgoing_mails ADD COLUMN post_id BIGINT;          -- the message; no foreign key, because the mail outlives it
ALTER TABLE outgoing_mails ADD COLUMN recipient_type INTEGER;  -- enum recipient_type of src/core/words.h
CREATE INDEX outgoing_mails_post ON outgoing_mails (post_id, id) WHERE post_id IS NOT NULL;

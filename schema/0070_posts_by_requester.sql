-- The clock of the next reply asks for the requester's last message. Without the index it reads all messages of staff that followed.
CREATE INDEX posts_by_requester ON posts (case_id, id) WHERE kind = 1 AND is_requester = 1;

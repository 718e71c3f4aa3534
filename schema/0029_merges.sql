-- Merges and permanent deletion of conversations (docs/CONVERSATIONS.md, "Merging"). A message has no number: the read markers count the
-- messages up to an id, which stays right when messages move to another conversation.
ALTER TABLE posts DROP COLUMN seq;
-- A merge and a deletion look up the read markers of a conversation.
CREATE INDEX read_markers_of_case ON read_markers (case_id, user_id);

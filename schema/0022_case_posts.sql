-- Notes of conversations, and the timeline of posts (docs/CONVERSATIONS.md).
ALTER TABLE notes ADD COLUMN color INTEGER NOT NULL DEFAULT 1; -- note_colors of src/core/words.c
ALTER TABLE notes ADD COLUMN client_id TEXT;
CREATE INDEX notes_in_case ON notes (case_id, id) WHERE case_id IS NOT NULL;
CREATE INDEX notes_by_author ON notes (user_id, id) WHERE case_id IS NOT NULL;
CREATE UNIQUE INDEX notes_client ON notes (case_id, user_id, client_id) WHERE client_id IS NOT NULL;

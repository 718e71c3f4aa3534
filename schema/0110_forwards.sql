-- Forwards of messages to people outside the conversation (core/cases/forward.h). A forward is a note; its conversation is that of the note.
CREATE TABLE forwards (
    note_id BIGINT PRIMARY KEY REFERENCES notes (id) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    to_addresses TEXT NOT NULL, -- JSON array of texts
    cc_addresses TEXT NOT NULL,
    post_ids TEXT NOT NULL -- JSON array: the messages that were forwarded
);
-- The note of the forward that the mail answers; then post_id is a note. No foreign key, because the mail outlives both: its Message-ID must never
-- reach the customer.
ALTER TABLE mails ADD COLUMN forward_id BIGINT;

-- Indexes of questions that each mail asks, the state that the undo of a reply restores, and recipients of mails that came in.
CREATE INDEX mails_taken_of_address ON mails (from_key, created_at) WHERE status = 3; -- the limits of an hour count messages only
CREATE INDEX mails_released ON mails (id) WHERE is_suspended = 0 AND suspension IS NOT NULL AND case_id IS NULL;
CREATE INDEX outgoing_mails_thread ON outgoing_mails (case_id, recipient, id) WHERE case_id IS NOT NULL;

-- Before the reply undo_post_id: the read marker of its author (NULL: none) and the preview of the last note.
ALTER TABLE cases ADD COLUMN undo_read_post_id BIGINT;
ALTER TABLE cases ADD COLUMN undo_read_seq BIGINT;
ALTER TABLE cases ADD COLUMN undo_read_at BIGINT;
ALTER TABLE cases ADD COLUMN undo_joined INTEGER; -- 1: the author became a participant by the reply
ALTER TABLE cases ADD COLUMN undo_note_preview TEXT;

-- People with an address in To or Cc of a mail that became a message: the recipients that the message shows.
CREATE TABLE mail_recipients (
    id @ID@,
    mail_id BIGINT NOT NULL REFERENCES mails (id) ON DELETE CASCADE,
    post_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id),
    address TEXT NOT NULL,
    type INTEGER NOT NULL -- enum recipient_type
);
CREATE INDEX mail_recipients_of_mail ON mail_recipients (mail_id);
CREATE INDEX mail_recipients_of_post ON mail_recipients (post_id);
CREATE INDEX mail_recipients_of_user ON mail_recipients (user_id);

-- The people whom an earlier text of a note mentioned. They get no further mail about it.
CREATE TABLE note_mentions (
    note_id BIGINT NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (note_id, user_id)
);
CREATE INDEX note_mentions_of_user ON note_mentions (user_id);

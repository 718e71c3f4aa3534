-- Callers known by a fingerprint only (src/core/access/stranger.h). cases.fingerprint and files.fingerprint hold a
-- keyed hash of it.

-- 1: the person was created with this conversation, by a caller without login.
ALTER TABLE cases ADD COLUMN requester_is_new INTEGER NOT NULL DEFAULT 0;

-- The read marker of the fingerprint that created the conversation.
CREATE TABLE fingerprint_markers (
    case_id BIGINT PRIMARY KEY REFERENCES cases (id),
    last_read_post_id BIGINT,
    last_read_seq BIGINT NOT NULL,
    last_read_at BIGINT NOT NULL
);

ALTER TABLE files ADD COLUMN fingerprint TEXT; -- the uploader, if user_id is NULL
ALTER TABLE files ADD COLUMN network TEXT;     -- keyed hash of the uploader's network, by which the limit of unattached files counts
CREATE INDEX files_of_network ON files (network) WHERE expires_at IS NOT NULL AND network IS NOT NULL;

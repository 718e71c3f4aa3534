-- Uploaded files. Their contents are in a folder, named by their SHA-256, once for any number of rows
-- (src/files/content.c).
CREATE TABLE files (
    id @ID@,
    user_id BIGINT REFERENCES users (id), -- the uploader; NULL: a caller known by a fingerprint only
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    expires_at BIGINT, -- NULL: something refers to it
    created_at BIGINT NOT NULL
);
CREATE INDEX files_content ON files (sha256);
CREATE INDEX files_expiring ON files (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX files_of_user ON files (user_id) WHERE expires_at IS NOT NULL;

-- For values of FILE fields: the id that `value` has as text, as a foreign key, so that the file is kept.
ALTER TABLE user_field_values ADD COLUMN file_id BIGINT REFERENCES files (id);
CREATE INDEX user_field_values_file ON user_field_values (file_id) WHERE file_id IS NOT NULL;
ALTER TABLE organization_field_values ADD COLUMN file_id BIGINT REFERENCES files (id);
CREATE INDEX organization_field_values_file ON organization_field_values (file_id) WHERE file_id IS NOT NULL;

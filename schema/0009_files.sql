-- Uploaded files. What is in them stands in a folder by its SHA-256, once however many rows name it (src/files/content.c).
CREATE TABLE files (
    id @ID@,
    user_id BIGINT REFERENCES users (id), -- who uploaded it; NULL is kept for who is known by a fingerprint alone
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

-- Of values of FILE fields: what value says as a text, so that the store holds on to the file.
ALTER TABLE user_field_values ADD COLUMN file_id BIGINT REFERENCES files (id);
CREATE INDEX user_field_values_file ON user_field_values (file_id) WHERE file_id IS NOT NULL;
ALTER TABLE organization_field_values ADD COLUMN file_id BIGINT REFERENCES files (id);
CREATE INDEX organization_field_values_file ON organization_field_values (file_id) WHERE file_id IS NOT NULL;

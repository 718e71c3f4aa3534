-- Addresses of webhooks, and what is known of an event (docs/PROGRAMS.md, "Events").

CREATE TABLE event_tokens (
    id @ID@,
    label TEXT NOT NULL,
    description TEXT,
    channel TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,   -- keyed: finds the row of a webhook
    token_sealed TEXT NOT NULL,        -- replies show the token again
    icon_file_id BIGINT REFERENCES files (id) ON DELETE SET NULL,
    is_enabled INTEGER NOT NULL DEFAULT 1,
    lastused_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX event_tokens_of_file ON event_tokens (icon_file_id) WHERE icon_file_id IS NOT NULL;

ALTER TABLE events ADD COLUMN token_id BIGINT; -- no foreign key, because events outlive their token
ALTER TABLE events ADD COLUMN identity_kind INTEGER; -- enum event_identity of the identity that matched
ALTER TABLE events ADD COLUMN identity_id BIGINT;    -- it may be deleted later

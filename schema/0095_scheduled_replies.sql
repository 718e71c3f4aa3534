-- Replies and notes that are posted at a time (docs/CONVERSATIONS.md, "Scheduled replies").
CREATE TABLE scheduled_replies (
    id @ID@,
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    creator_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    send_at BIGINT NOT NULL,
    refused_at BIGINT, -- NULL: it waits
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    is_note INTEGER NOT NULL,
    is_html INTEGER NOT NULL,
    client_id TEXT,
    refusal TEXT, -- a JSON object; NULL: it waits
    content_text TEXT NOT NULL,
    parameters TEXT NOT NULL -- a JSON object: those of POST /cases/:id/reply
);
CREATE INDEX scheduled_replies_of_case ON scheduled_replies (case_id);
CREATE INDEX scheduled_replies_of_person ON scheduled_replies (creator_id);
CREATE INDEX scheduled_replies_due ON scheduled_replies (send_at, id) WHERE refused_at IS NULL;
CREATE INDEX scheduled_replies_refused ON scheduled_replies (refused_at) WHERE refused_at IS NOT NULL;

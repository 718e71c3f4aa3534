-- Drafts of replies and notes: texts that a person has not sent yet (src/core/cases/draft.h).
CREATE TABLE drafts (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    channel INTEGER NOT NULL,
    base_post_id BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    file_ids TEXT, -- a JSON array; NULL: none
    parameters TEXT, -- a JSON object; NULL: none
    contents TEXT NOT NULL
);
CREATE UNIQUE INDEX drafts_of_person ON drafts (user_id, case_id, channel);
CREATE INDEX drafts_of_case ON drafts (case_id);
CREATE INDEX drafts_by_age ON drafts (updated_at);

-- The draft of a new conversation, one for each person (src/core/cases/draft.h).
CREATE TABLE new_case_drafts (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    requester_id BIGINT, -- as the editor sent it: no reference, because the draft outlives the person
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    file_ids TEXT, -- a JSON array; NULL: none
    parameters TEXT, -- a JSON object; NULL: none
    contents TEXT NOT NULL
);
CREATE UNIQUE INDEX new_case_drafts_of_person ON new_case_drafts (user_id);
CREATE INDEX new_case_drafts_of_requester ON new_case_drafts (requester_id);
CREATE INDEX new_case_drafts_by_age ON new_case_drafts (updated_at);

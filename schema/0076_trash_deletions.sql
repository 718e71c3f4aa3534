-- Conversations that a job deletes, because they were in the trash when a person emptied it.
CREATE TABLE trash_deletions (
    job_id BIGINT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    PRIMARY KEY (job_id, case_id)
);
CREATE INDEX trash_deletions_of_case ON trash_deletions (case_id);

-- Participants and read markers are found by their keys alone, so on SQLite the key is the table: one entry and one page less for each new
-- row.
@SQLITE{
CREATE TABLE participants_by_key (
    case_id BIGINT NOT NULL REFERENCES cases (id),
    user_id BIGINT NOT NULL REFERENCES users (id),
    PRIMARY KEY (case_id, user_id)
) WITHOUT ROWID;
INSERT INTO participants_by_key SELECT case_id, user_id FROM case_participants ORDER BY case_id, user_id;
DROP TABLE case_participants;
ALTER TABLE participants_by_key RENAME TO case_participants;

CREATE TABLE markers_by_key (
    case_id BIGINT NOT NULL REFERENCES cases (id),
    user_id BIGINT NOT NULL REFERENCES users (id),
    last_read_post_id BIGINT,
    last_read_seq BIGINT NOT NULL,
    last_read_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, case_id)
) WITHOUT ROWID;
INSERT INTO markers_by_key SELECT case_id, user_id, last_read_post_id, last_read_seq, last_read_at FROM read_markers
    ORDER BY user_id, case_id;
DROP TABLE read_markers;
ALTER TABLE markers_by_key RENAME TO read_markers;
CREATE INDEX read_markers_of_case ON read_markers (case_id, user_id);
}@

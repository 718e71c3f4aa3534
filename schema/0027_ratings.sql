-- Ratings of conversations by customers (docs/CONVERSATIONS.md, "Ratings").
CREATE TABLE case_ratings (
    id @ID@,
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    score INTEGER NOT NULL, -- rating_scores of src/core/words.c
    comment TEXT,
    creator_id BIGINT NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX case_ratings_case ON case_ratings (case_id);
CREATE INDEX case_ratings_creator ON case_ratings (creator_id, id);
ALTER TABLE cases ADD COLUMN rating INTEGER;                                -- the score of its rating
ALTER TABLE cases ADD COLUMN attachments_count BIGINT NOT NULL DEFAULT 0; -- of its messages and notes
UPDATE cases SET attachments_count = (SELECT COUNT(*) FROM post_attachments a JOIN posts p ON p.id = a.post_id WHERE p.case_id = cases.id)
    + (SELECT COUNT(*) FROM post_attachments a JOIN notes n ON n.id = a.post_id WHERE n.case_id = cases.id)
    WHERE EXISTS (SELECT 1 FROM post_attachments);
-- GET /conversations/starter: who was active last.
CREATE INDEX users_staff_activity ON users (last_activity_at, id) WHERE role_type >= 3 AND deleted_at IS NULL;
-- Type of a picture (enum picture_type of src/files/picture.h); 0: no picture.
ALTER TABLE files ADD COLUMN picture_type INTEGER NOT NULL DEFAULT 0;

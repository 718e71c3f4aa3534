-- The timeline of a conversation is ordered by id. All rows of posts are messages, so the index needs no kind.
DROP INDEX posts_of_case;
CREATE INDEX posts_of_case ON posts (case_id, id);

-- A conversation may have several ratings. The newest is that of the conversation.
DROP INDEX case_ratings_case;
CREATE INDEX case_ratings_case ON case_ratings (case_id, id);

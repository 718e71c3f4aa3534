-- The words of articles under the empty piece, so that those with a prefix are a range. A job adds words without pieces: short ones and numbers.
INSERT INTO search_pieces (piece, word) SELECT DISTINCT '', p.word FROM search_pieces p;
INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at)
    SELECT 'index_search', 1, '{"table": 5, "after": 0, "last": 5}', 0, 0, 0, 0 WHERE EXISTS (SELECT 1 FROM search_pieces);

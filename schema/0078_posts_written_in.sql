-- A merge moves posts to another conversation. Their reply times count from the start of the conversation that they were written in.
ALTER TABLE posts ADD COLUMN written_case_id BIGINT REFERENCES cases (id) ON DELETE SET NULL; -- NULL: case_id
CREATE INDEX posts_written_in ON posts (written_case_id) WHERE written_case_id IS NOT NULL;
-- Earlier merges did not store it. A post that is older than its conversation was written in a merged one, the newest that began before it.
-- Later posts count as written in the survivor, as before.
UPDATE posts SET written_case_id = (SELECT m.id FROM cases m WHERE m.merged_into_id = posts.case_id AND m.created_at <= posts.created_at
        ORDER BY m.created_at DESC, m.id DESC LIMIT 1)
    WHERE case_id IN (SELECT k.merged_into_id FROM cases k WHERE k.merged_into_id IS NOT NULL)
    AND created_at < (SELECT s.created_at FROM cases s WHERE s.id = posts.case_id);
-- The clocks of these conversations are computed again. Without due_at, nobody is told of a breach meanwhile.
DELETE FROM sla_runs WHERE completed_at < started_at;
UPDATE sla_metrics SET stage = 1, due_at = NULL WHERE case_id IN (SELECT p.case_id FROM posts p WHERE p.written_case_id IS NOT NULL);
INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at)
    SELECT 'clocks', 1, '{"after":0,"pass":1}', 0, 0, 0, 0 WHERE EXISTS (SELECT 1 FROM sla_metrics m JOIN posts p ON p.case_id = m.case_id
    WHERE p.written_case_id IS NOT NULL);

-- The conversation that a conversation was split from (docs/CONVERSATIONS.md, "Splitting").
ALTER TABLE cases ADD COLUMN split_from_id BIGINT REFERENCES cases (id) ON DELETE SET NULL;
CREATE INDEX cases_split ON cases (split_from_id) WHERE split_from_id IS NOT NULL;

-- The author and the time of an article's present texts: they become those of a version when the texts change.
ALTER TABLE articles ADD COLUMN texts_user_id BIGINT REFERENCES users (id);
ALTER TABLE articles ADD COLUMN texts_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX articles_texts_user ON articles (texts_user_id);

-- Drafts are listed by their creation.
DROP INDEX articles_latest;
CREATE INDEX articles_latest ON articles (section_id, (COALESCE(published_at, created_at)), id) WHERE deleted_at IS NULL;

-- Bytes of `texts`, so that their sum is read from the index.
ALTER TABLE article_versions ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
DROP INDEX article_versions_of;
CREATE INDEX article_versions_of ON article_versions (article_id, id, bytes);

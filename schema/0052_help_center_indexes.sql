-- A disabled locale takes no new texts.
ALTER TABLE locales ADD COLUMN is_enabled INTEGER NOT NULL DEFAULT 1;

-- Deletion goes through articles by id, deleted ones among them.
CREATE INDEX articles_of_section ON articles (section_id, id);
CREATE INDEX article_votes_of_article ON article_votes (article_id, id);

-- Moderation of comments: which ones wait for a look of staff, and the lists of the whole desk (docs/HELPCENTER.md, "Comments and likes").
ALTER TABLE article_comments ADD COLUMN waits INTEGER NOT NULL DEFAULT 0; -- 1: a customer wrote or changed it, and staff have not looked at it
CREATE INDEX article_comments_waiting ON article_comments (created_at, id) WHERE waits = 1;
CREATE INDEX article_comments_published ON article_comments (created_at, id) WHERE status = 1;
CREATE INDEX article_comments_spams ON article_comments (created_at, id) WHERE status = 2;

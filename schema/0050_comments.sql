-- Comments of the help center: lists of top comments and of spam, and the comments of one person in the last minute.
CREATE INDEX article_comments_top ON article_comments (article_id, created_at, id, status) WHERE parent_id IS NULL;
CREATE INDEX article_comments_spam ON article_comments (article_id, created_at, id) WHERE status = 2;
DROP INDEX article_comments_user;
CREATE INDEX article_comments_user ON article_comments (user_id, created_at);

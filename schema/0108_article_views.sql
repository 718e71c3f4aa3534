-- Views of articles by day, for the report of a period (src/res/report_articles.c). They are written with the totals of articles (src/core/helpcenter/tally.c).
CREATE TABLE article_views (
    id @ID@,
    article_id BIGINT NOT NULL REFERENCES articles (id),
    day BIGINT NOT NULL,         -- from 1970-01-01, by the clock of the desk
    views BIGINT NOT NULL
);
CREATE UNIQUE INDEX article_views_of ON article_views (article_id, day);
CREATE INDEX article_votes_by_time ON article_votes (created_at);

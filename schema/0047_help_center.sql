-- The help center (docs/HELPCENTER.md). Titles, descriptions and contents are rows of locale_fields.

CREATE TABLE categories (
    id @ID@,
    legacy_id TEXT,
    brand_id BIGINT REFERENCES brands (id), -- NULL: every brand
    display_order BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT -- its sections and articles are being deleted
);
CREATE UNIQUE INDEX categories_legacy ON categories (legacy_id) WHERE legacy_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX categories_in_order ON categories (display_order, id) WHERE deleted_at IS NULL;
CREATE INDEX categories_of_brand ON categories (brand_id);

CREATE TABLE sections (
    id @ID@,
    legacy_id TEXT,
    category_id BIGINT NOT NULL REFERENCES categories (id),
    visibility INTEGER NOT NULL,
    agent_id BIGINT REFERENCES users (id), -- the creator
    article_order_by INTEGER NOT NULL,
    sort_order BIGINT NOT NULL DEFAULT 0, -- in its brand
    total_articles BIGINT NOT NULL DEFAULT 0,     -- of any status
    published_articles BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT -- its articles are being deleted
);
CREATE UNIQUE INDEX sections_legacy ON sections (legacy_id) WHERE legacy_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX sections_by_creation ON sections (created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX sections_of_category ON sections (category_id, sort_order, id);
CREATE INDEX sections_of_agent ON sections (agent_id);

CREATE TABLE section_tags (
    section_id BIGINT NOT NULL REFERENCES sections (id) ON DELETE CASCADE,
    tag_id BIGINT NOT NULL REFERENCES tags (id),
    PRIMARY KEY (section_id, tag_id)
);
CREATE INDEX section_tags_tag ON section_tags (tag_id, section_id);

CREATE TABLE section_teams (
    section_id BIGINT NOT NULL REFERENCES sections (id) ON DELETE CASCADE,
    team_id BIGINT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    PRIMARY KEY (section_id, team_id)
);
CREATE INDEX section_teams_team ON section_teams (team_id, section_id);

CREATE TABLE articles (
    id @ID@,
    uuid TEXT NOT NULL UNIQUE,
    legacy_id TEXT,
    section_id BIGINT NOT NULL REFERENCES sections (id),
    status INTEGER NOT NULL,
    author_id BIGINT REFERENCES users (id),
    creator_id BIGINT REFERENCES users (id),
    keywords TEXT,
    is_featured INTEGER NOT NULL,
    allow_comments INTEGER NOT NULL,
    sort_order BIGINT NOT NULL DEFAULT 0, -- in its section, for MANUAL
    upvote_count BIGINT NOT NULL DEFAULT 0,
    downvote_count BIGINT NOT NULL DEFAULT 0,
    views BIGINT NOT NULL DEFAULT 0,
    rank BIGINT NOT NULL DEFAULT 0, -- views + 10 * (upvote_count - downvote_count)
    total_comments BIGINT NOT NULL DEFAULT 0, -- comments that everyone sees
    conversations BIGINT NOT NULL DEFAULT 0,  -- opened from the page of the article
    published_at BIGINT, -- first publication
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT -- its comments, votes and versions are being deleted
);
CREATE UNIQUE INDEX articles_legacy ON articles (legacy_id) WHERE legacy_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX articles_latest ON articles (section_id, published_at, id) WHERE deleted_at IS NULL;
CREATE INDEX articles_popular ON articles (section_id, rank, id) WHERE deleted_at IS NULL;
CREATE INDEX articles_manual ON articles (section_id, sort_order, id) WHERE deleted_at IS NULL;
CREATE INDEX articles_viewed ON articles (views, id) WHERE deleted_at IS NULL;
CREATE INDEX articles_featured ON articles (id) WHERE is_featured = 1 AND deleted_at IS NULL;
CREATE INDEX articles_of_author ON articles (author_id);
CREATE INDEX articles_of_creator ON articles (creator_id);

CREATE TABLE article_tags (
    article_id BIGINT NOT NULL REFERENCES articles (id) ON DELETE CASCADE,
    tag_id BIGINT NOT NULL REFERENCES tags (id),
    PRIMARY KEY (article_id, tag_id)
);
CREATE INDEX article_tags_tag ON article_tags (tag_id, article_id);

-- Titles and contents that a change replaced.
CREATE TABLE article_versions (
    id @ID@,
    article_id BIGINT NOT NULL REFERENCES articles (id),
    user_id BIGINT REFERENCES users (id), -- author of these texts
    texts TEXT NOT NULL, -- JSON: [{"locale", "title", "contents"}]
    created_at BIGINT NOT NULL -- time at which these texts were written
);
CREATE INDEX article_versions_of ON article_versions (article_id, id);
CREATE INDEX article_versions_user ON article_versions (user_id);

CREATE TABLE article_attachments (
    id @ID@,
    article_id BIGINT NOT NULL REFERENCES articles (id),
    file_id BIGINT NOT NULL REFERENCES files (id),
    content_id TEXT,
    is_inline INTEGER NOT NULL DEFAULT 0,
    alt TEXT,
    sort_order INTEGER NOT NULL
);
CREATE INDEX article_attachments_article ON article_attachments (article_id, sort_order);
CREATE INDEX article_attachments_file ON article_attachments (file_id);

-- One vote a person or fingerprint.
CREATE TABLE article_votes (
    id @ID@,
    article_id BIGINT NOT NULL REFERENCES articles (id),
    user_id BIGINT REFERENCES users (id),
    fingerprint TEXT, -- keyed hash, if user_id is NULL
    is_up INTEGER NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX article_votes_user ON article_votes (article_id, user_id) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX article_votes_fingerprint ON article_votes (article_id, fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX article_votes_of_user ON article_votes (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE article_comments (
    id @ID@,
    article_id BIGINT NOT NULL REFERENCES articles (id),
    parent_id BIGINT REFERENCES article_comments (id), -- a reply
    user_id BIGINT REFERENCES users (id),
    contents TEXT NOT NULL, -- clean HTML if is_html
    is_html INTEGER NOT NULL,
    status INTEGER NOT NULL,
    like_count BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX article_comments_of ON article_comments (article_id, created_at, id);
CREATE INDEX article_comments_replies ON article_comments (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX article_comments_user ON article_comments (user_id);

CREATE TABLE comment_likes (
    id @ID@,
    comment_id BIGINT NOT NULL REFERENCES article_comments (id),
    user_id BIGINT NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL,
    UNIQUE (comment_id, user_id)
);
CREATE INDEX comment_likes_user ON comment_likes (user_id);

-- Searches of the help center, gathered: one row for each text and flush.
CREATE TABLE help_center_searches (
    id @ID@,
    name_key TEXT NOT NULL, -- fold_key of name
    name TEXT NOT NULL,     -- the text as it was typed first
    attempts BIGINT NOT NULL,
    results BIGINT NOT NULL, -- of all attempts together
    searched_at BIGINT NOT NULL -- the last attempt
);
CREATE INDEX help_center_searches_by_time ON help_center_searches (searched_at);

-- The first category of a new desk, and of a desk older than the help center.
INSERT INTO categories (brand_id, display_order, created_at, updated_at)
    SELECT b.id, 1, b.created_at, b.created_at FROM brands b WHERE b.is_default = 1;
INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at)
    SELECT 7, c.id, 'en-us', 'General', c.created_at, c.updated_at FROM categories c;

-- Brands, and their own versions of mails and pages (src/core/text/template.c).

CREATE TABLE brands (
    id @ID@,
    name TEXT NOT NULL,
    sub_domain TEXT UNIQUE,  -- one label; an A-label if international
    domain TEXT UNIQUE,      -- a domain_key
    locale_id BIGINT NOT NULL REFERENCES locales (id),
    is_default INTEGER NOT NULL,
    is_enabled INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX brands_default ON brands (is_default) WHERE is_default = 1;

-- The default brand of a new desk, whose times init sets, and of a desk older than brands.
INSERT INTO brands (id, name, locale_id, is_default, is_enabled, created_at, updated_at)
    SELECT 1, COALESCE((SELECT value FROM settings WHERE name = 'desk.name' AND value <> ''), 'Support'), 1, 1, 1, d.at, d.at
    FROM (SELECT COALESCE((SELECT CAST(value AS BIGINT) FROM settings WHERE name = 'desk.created_at'), 0) AS at) d;

CREATE TABLE templates (
    brand_id BIGINT NOT NULL REFERENCES brands (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    contents TEXT NOT NULL,
    creator_id BIGINT REFERENCES users (id),
    created_at BIGINT NOT NULL, -- time of these contents
    PRIMARY KEY (brand_id, name)
);

CREATE TABLE template_versions (
    id @ID@,
    brand_id BIGINT NOT NULL REFERENCES brands (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    contents TEXT NOT NULL,
    creator_id BIGINT REFERENCES users (id), -- author of these contents; NULL: the built-in original
    created_at BIGINT
);
CREATE INDEX template_versions_of ON template_versions (brand_id, name, id);

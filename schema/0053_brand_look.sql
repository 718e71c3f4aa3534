-- The look of a brand's pages.
ALTER TABLE brands ADD COLUMN color TEXT;     -- #rrggbb
ALTER TABLE brands ADD COLUMN logo_at BIGINT; -- last change of the logo; NULL: there is none

CREATE TABLE brand_logos (
    brand_id BIGINT PRIMARY KEY REFERENCES brands (id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    data @BLOB@ NOT NULL
);

-- The feed of a brand.
CREATE INDEX articles_published ON articles (published_at, id) WHERE deleted_at IS NULL AND status = 3;

-- The theme of a brand's pages (brand_themes of core/words.c).
ALTER TABLE brands ADD COLUMN theme INTEGER NOT NULL DEFAULT 1;

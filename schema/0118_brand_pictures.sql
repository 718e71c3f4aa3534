-- The picture of a brand on the home page of its help center, scaled to several widths (src/core/desk/brand_picture.h).
ALTER TABLE brands ADD COLUMN picture_at BIGINT;     -- last change of the picture; NULL: there is none
ALTER TABLE brands ADD COLUMN picture_width INTEGER; -- pixels of the widest one

CREATE TABLE brand_pictures (
    brand_id BIGINT NOT NULL REFERENCES brands (id) ON DELETE CASCADE,
    width INTEGER NOT NULL, -- pixels
    data @BLOB@ NOT NULL,   -- JPEG
    PRIMARY KEY (brand_id, width)
);

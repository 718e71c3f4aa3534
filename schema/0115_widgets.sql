-- The widget of a brand: a part of the help desk in pages of other sites (core/desk/widget.h).
CREATE TABLE brand_widgets (
    brand_id BIGINT PRIMARY KEY REFERENCES brands (id) ON DELETE CASCADE,
    origins TEXT NOT NULL, -- JSON array of texts like https://shop.example; an origin belongs to one brand
    greeting TEXT,
    is_anonymous_allowed INTEGER NOT NULL,
    updated_at BIGINT NOT NULL
);

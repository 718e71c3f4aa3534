-- The list of sections and its count read visibility and category from the index.
DROP INDEX sections_by_creation;
CREATE INDEX sections_by_creation ON sections (created_at, id, visibility, category_id) WHERE deleted_at IS NULL;

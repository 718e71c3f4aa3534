-- The number of changes of a kind. Processes read the custom fields again when that of custom_fields differs.
ALTER TABLE changes ADD COLUMN generation BIGINT NOT NULL DEFAULT 1;
-- The row always exists; 1 is a time before every other.
INSERT INTO changes (what, at) SELECT 'custom_fields', 1 WHERE NOT EXISTS (SELECT 1 FROM changes WHERE what = 'custom_fields');

-- Values of custom fields of conversations, people and organizations in one table. owner_id has no foreign key, because the owner is a row of
-- one of three tables. So a write locks the owner's row, the deletion of an owner deletes its values first, and deskd check reports the rest.
CREATE TABLE field_values (
    area INTEGER NOT NULL,     -- enum field_area of the field
    owner_id BIGINT NOT NULL,
    field_id BIGINT NOT NULL REFERENCES custom_fields (id) ON DELETE CASCADE,
    value TEXT NOT NULL,
    value_key TEXT NOT NULL,   -- first 200 bytes of fold_key; rules compare it
    file_id BIGINT REFERENCES files (id), -- set for FILE fields
    PRIMARY KEY (owner_id, area, field_id)
);
INSERT INTO field_values (area, owner_id, field_id, value, value_key, file_id)
    SELECT 2, user_id, field_id, value, value_key, file_id FROM user_field_values ORDER BY user_id, field_id;
INSERT INTO field_values (area, owner_id, field_id, value, value_key, file_id)
    SELECT 3, organization_id, field_id, value, value_key, file_id FROM organization_field_values ORDER BY organization_id, field_id;
DROP TABLE user_field_values;
DROP TABLE organization_field_values;
CREATE INDEX field_values_field ON field_values (field_id, value_key);
CREATE INDEX field_values_file ON field_values (file_id) WHERE file_id IS NOT NULL;

-- Running deletions of fields restart at their first step, because the cascade now has one step less. Each step is idempotent.
UPDATE jobs SET input = replace(replace(replace(input, '"step":1', '"step":0'), '"step":2', '"step":0'), '"step":3', '"step":0')
    WHERE kind = 'cascade' AND status IN (1, 2) AND input LIKE '{"of":"field"%';

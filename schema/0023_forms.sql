-- Forms: which custom fields a conversation asks for. A deleted form stays, because conversations refer to it.
CREATE TABLE case_forms (
    id @ID@,
    title TEXT NOT NULL,
    brand_id BIGINT REFERENCES brands (id), -- NULL: every brand
    is_visible_to_customers INTEGER NOT NULL,
    is_enabled INTEGER NOT NULL,
    is_default INTEGER NOT NULL DEFAULT 0,
    is_deleted INTEGER NOT NULL DEFAULT 0,
    sort_order INTEGER NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX case_forms_default ON case_forms (is_default) WHERE is_default = 1;

CREATE TABLE case_form_fields (
    form_id BIGINT NOT NULL REFERENCES case_forms (id) ON DELETE CASCADE,
    field_id BIGINT NOT NULL REFERENCES custom_fields (id) ON DELETE CASCADE,
    sort_order INTEGER NOT NULL,
    PRIMARY KEY (form_id, field_id)
);
CREATE INDEX case_form_fields_field ON case_form_fields (field_id);

ALTER TABLE cases ADD COLUMN form_id BIGINT REFERENCES case_forms (id);

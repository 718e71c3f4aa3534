-- System fields: members of conversations that every desk has. They are listed before the custom fields and can't be
-- deleted. tag: the tag that an option adds.
ALTER TABLE custom_fields ADD COLUMN is_system INTEGER NOT NULL DEFAULT 0;
ALTER TABLE custom_field_options ADD COLUMN tag TEXT;

-- A custom field that has a key of a system field gets another key.
UPDATE custom_fields SET key = substr(key, 1, 40) || '-' || id
    WHERE area = 1 AND key IN ('subject', 'requester', 'team', 'agent', 'status', 'type', 'priority');

-- The flags of status, type and priority are the initial values of the settings (core/desk/setting.c), which override
-- them once they are set.
INSERT INTO custom_fields (area, type, key, is_required_for_agents, is_required_on_resolution, is_visible_to_customers, is_customer_editable,
    is_required_for_customers, sort_order, is_enabled, is_system, created_at, updated_at) VALUES
    (1, 13, 'subject', 1, 0, 1, 0, 1, 1, 1, 1, 0, 0), (1, 14, 'requester', 1, 0, 1, 0, 0, 2, 1, 1, 0, 0),
    (1, 15, 'team', 0, 0, 1, 0, 0, 3, 1, 1, 0, 0), (1, 16, 'agent', 0, 0, 1, 0, 0, 4, 1, 1, 0, 0),
    (1, 17, 'status', 0, 0, 1, 0, 0, 5, 1, 1, 0, 0), (1, 18, 'type', 0, 0, 0, 0, 0, 6, 1, 1, 0, 0),
    (1, 19, 'priority', 0, 0, 0, 0, 0, 7, 1, 1, 0, 0);
UPDATE custom_fields SET
    created_at = COALESCE((SELECT s.updated_at FROM settings s WHERE s.name = 'desk.created_at'), 0),
    updated_at = COALESCE((SELECT s.updated_at FROM settings s WHERE s.name = 'desk.created_at'), 0)
    WHERE is_system = 1;
INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at)
    SELECT 1, f.id, 'en-us', upper(substr(f.key, 1, 1)) || substr(f.key, 2), f.created_at, f.updated_at FROM custom_fields f WHERE f.is_system = 1;

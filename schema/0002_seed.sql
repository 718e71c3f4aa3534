-- The rows of every new desk (completions.md sections 5 and 6). init sets their times.

INSERT INTO roles (id, title, type, is_system, agent_case_access, denied, created_at, updated_at) VALUES
    (1, 'Admin', 4, 1, 3, 0, 0, 0), (2, 'Agent', 3, 1, 3, 0, 0, 0), (3, 'Collaborator', 2, 1, 3, 0, 0, 0),
    (4, 'Customer', 1, 1, 3, 0, 0, 0), (5, 'Owner', 5, 1, 3, 0, 0, 0);

INSERT INTO case_statuses (id, label, type, sort_order, is_sla_active, is_system, is_deleted, created_at, updated_at) VALUES
    (1, 'New', 1, 1, 1, 1, 0, 0, 0), (2, 'Open', 2, 2, 1, 1, 0, 0, 0), (3, 'Pending', 3, 3, 0, 1, 0, 0, 0),
    (4, 'Completed', 4, 4, 1, 1, 0, 0, 0), (5, 'Closed', 5, 5, 1, 1, 0, 0, 0);

INSERT INTO case_priorities (id, label, level, created_at, updated_at) VALUES
    (1, 'Low', 1, 0, 0), (2, 'Normal', 2, 0, 0), (3, 'High', 3, 0, 0), (4, 'Urgent', 4, 0, 0);

INSERT INTO case_types (id, label, type, sort_order, created_at, updated_at) VALUES
    (1, 'Question', 1, 1, 0, 0), (2, 'Task', 2, 2, 0, 0), (3, 'Problem', 3, 3, 0, 0), (4, 'Incident', 4, 4, 0, 0);

INSERT INTO business_hours (id, title, zones, holidays, time_zone, is_default, created_at, updated_at) VALUES
    (1, 'Default', '{"monday":[9,10,11,12,13,14,15,16],"tuesday":[9,10,11,12,13,14,15,16],"wednesday":[9,10,11,12,13,14,15,16],"thursday":[9,10,11,12,13,14,15,16],"friday":[9,10,11,12,13,14,15,16],"saturday":[],"sunday":[]}',
     '[]', 'UTC', 1, 0, 0);

INSERT INTO locales (id, locale, name, native_name, region, direction, is_public, is_localised, created_at, updated_at) VALUES
    (1, 'en-us', 'English (United States)', 'English (United States)', 'US', 'LTR', 1, 1, 0, 0),
    (2, 'en-gb', 'English (United Kingdom)', 'English (United Kingdom)', 'GB', 'LTR', 0, 0, 0, 0),
    (3, 'de', 'German', 'Deutsch', NULL, 'LTR', 0, 0, 0, 0), (4, 'fr', 'French', 'Français', NULL, 'LTR', 0, 0, 0, 0),
    (5, 'es', 'Spanish', 'Español', NULL, 'LTR', 0, 0, 0, 0), (6, 'it', 'Italian', 'Italiano', NULL, 'LTR', 0, 0, 0, 0),
    (7, 'nl', 'Dutch', 'Nederlands', NULL, 'LTR', 0, 0, 0, 0), (8, 'pt-br', 'Portuguese (Brazil)', 'Português (Brasil)', 'BR', 'LTR', 0, 0, 0, 0),
    (9, 'ru', 'Russian', 'Русский', NULL, 'LTR', 0, 0, 0, 0), (10, 'ja', 'Japanese', '日本語', NULL, 'LTR', 0, 0, 0, 0),
    (11, 'zh-cn', 'Chinese (Simplified)', '简体中文', 'CN', 'LTR', 0, 0, 0, 0), (12, 'ar', 'Arabic', 'العربية', NULL, 'RTL', 0, 0, 0, 0);

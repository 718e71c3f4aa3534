-- A write that stores keys of phone numbers holds this row (core/people/identity.c), so there must be one.
INSERT INTO settings (name, value, updated_at) VALUES ('desk.phone_region', '', 0) ON CONFLICT (name) DO NOTHING;

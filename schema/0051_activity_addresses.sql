-- IP addresses of staff with what they did. A purge of the person erases them.
ALTER TABLE activities ADD COLUMN ip_address TEXT;
CREATE INDEX activities_of_address ON activities (actor_id, id) WHERE ip_address IS NOT NULL;

-- The change log (src/core/change/log.c): every typed change of every work. Rows are added, and the oldest are pruned
-- by age.
CREATE TABLE change_log (
    id @ID@,
    xid @XID@,
    kind TEXT NOT NULL,        -- resource_type of the object
    object_id BIGINT NOT NULL,
    case_id BIGINT,            -- only readers who may see this conversation see the entry; NULL: all readers
    verb INTEGER NOT NULL,     -- enum change_verb
    property TEXT,             -- NULL: the object was created or deleted
    old_value TEXT,            -- NULL: none, or a secret
    new_value TEXT,
    actor_id BIGINT,           -- no foreign key, so that entries stay unchanged when a person is deleted
    actor_kind INTEGER NOT NULL,
    cause TEXT,                -- NULL: a request of a caller
    changed_at BIGINT NOT NULL
);
CREATE INDEX change_log_of_people ON change_log (object_id, id) WHERE kind = 'user'; -- for a purge
-- The highest pruned id. A reader with a lower cursor has missed entries.
CREATE TABLE change_log_pruned (pruned_id BIGINT NOT NULL);
INSERT INTO change_log_pruned (pruned_id) VALUES (0);

-- An activity is one row. Its changes are three JSON arrays of the same length. A purge clears the values and keeps the
-- names.
ALTER TABLE activities ADD COLUMN owner_organization_id BIGINT; -- no foreign key, because the trail outlives its objects
ALTER TABLE activities ADD COLUMN owner_case_id BIGINT;
ALTER TABLE activities ADD COLUMN actor_kind INTEGER NOT NULL DEFAULT 0;
ALTER TABLE activities ADD COLUMN cause TEXT;
ALTER TABLE activities ADD COLUMN fields TEXT;
ALTER TABLE activities ADD COLUMN previous_values TEXT;
ALTER TABLE activities ADD COLUMN current_values TEXT;
UPDATE activities SET actor_kind = 1 WHERE actor_id IS NOT NULL;
UPDATE activities SET
    fields = (SELECT @JSON_ROWS(c.field) FROM (SELECT field FROM activity_changes WHERE activity_id = activities.id ORDER BY id) c),
    previous_values = (SELECT @JSON_ROWS(c.value) FROM (SELECT previous_value AS value FROM activity_changes WHERE activity_id = activities.id ORDER BY id) c),
    current_values = (SELECT @JSON_ROWS(c.value) FROM (SELECT current_value AS value FROM activity_changes WHERE activity_id = activities.id ORDER BY id) c)
    WHERE EXISTS (SELECT 1 FROM activity_changes x WHERE x.activity_id = activities.id);
DROP TABLE activity_changes;
CREATE INDEX activities_of_organization ON activities (owner_organization_id, id) WHERE owner_organization_id IS NOT NULL;
CREATE INDEX activities_of_case ON activities (owner_case_id, id) WHERE owner_case_id IS NOT NULL;

-- The change log (src/core/change/log.c): every typed change of every work. Rows are only added, and pruned by age from the low end.
CREATE TABLE change_log (
    id @ID@,
    xid @XID@,
    kind TEXT NOT NULL,        -- resource_type of the object
    object_id BIGINT NOT NULL,
    case_id BIGINT,            -- readers must see this conversation; NULL: the entry is for every reader
    verb INTEGER NOT NULL,     -- enum change_verb
    property TEXT,             -- NULL: the object was created or deleted
    old_value TEXT,            -- NULL: none, or a secret
    new_value TEXT,
    actor_id BIGINT,           -- no foreign key: entries are not touched when a person goes
    actor_kind INTEGER NOT NULL,
    cause TEXT,                -- NULL: a caller's request
    changed_at BIGINT NOT NULL
);
CREATE INDEX change_log_of_people ON change_log (object_id, id) WHERE kind = 'user'; -- what a purge erases
-- The highest id that was pruned: a reader who stands below it has missed entries.
CREATE TABLE change_log_pruned (pruned_id BIGINT NOT NULL);
INSERT INTO change_log_pruned (pruned_id) VALUES (0);

-- An activity is one row. Its changes are three JSON arrays of one length: a purge clears the values and keeps the names.
ALTER TABLE activities ADD COLUMN owner_organization_id BIGINT; -- no foreign key: the trail outlives what it is about
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

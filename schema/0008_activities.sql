-- The audit trail (src/core/change/activity.c). Rows are only added. `did` names fields, never values. The values are
-- in activity_changes, where a purge erases them.
CREATE TABLE activities (
    id @ID@,
    owner_user_id BIGINT REFERENCES users (id), -- the person that the activity is about
    actor_id BIGINT REFERENCES users (id),
    name INTEGER NOT NULL, -- enum activity_name
    did TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX activities_of_user ON activities (owner_user_id, id) WHERE owner_user_id IS NOT NULL;

CREATE TABLE activity_changes (
    id @ID@,
    activity_id BIGINT NOT NULL REFERENCES activities (id),
    field TEXT NOT NULL,
    previous_value TEXT,
    current_value TEXT
);
CREATE INDEX activity_changes_of ON activity_changes (activity_id);

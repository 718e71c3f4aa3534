-- What is gone while the rows that name it are still being changed (src/core/change/cascade.c): marked, so that nobody is shown it.

ALTER TABLE teams ADD COLUMN deleted_at BIGINT;
ALTER TABLE custom_fields ADD COLUMN deleted_at BIGINT;
ALTER TABLE users ADD COLUMN leaving_at BIGINT; -- deleted, and conversations are still assigned to the person
ALTER TABLE users ADD COLUMN purged_at BIGINT;  -- what is still to be erased of the person is shown to nobody
CREATE INDEX teams_gone ON teams (id) WHERE deleted_at IS NOT NULL;
CREATE INDEX organizations_gone ON organizations (id) WHERE deleted_at IS NOT NULL;
CREATE INDEX users_leaving ON users (id) WHERE leaving_at IS NOT NULL;
CREATE INDEX jobs_cascades ON jobs (id) WHERE kind = 'cascade' AND status IN (1, 2);

-- What a team or a person is assigned in any state: those in the trash, too, are found without reading all.
DROP INDEX cases_by_team;
DROP INDEX cases_by_agent;
CREATE INDEX cases_by_team ON cases (assigned_team_id, state, created_at, id) WHERE assigned_team_id IS NOT NULL;
CREATE INDEX cases_by_agent ON cases (assigned_agent_id, state, created_at, id) WHERE assigned_agent_id IS NOT NULL;
CREATE INDEX cases_by_type ON cases (type_id) WHERE type_id IS NOT NULL;

-- What a person had, ended or not.
CREATE INDEX sessions_of_user ON sessions (user_id, id);
CREATE INDEX remember_chains_of_user ON remember_chains (user_id);

-- The jobs that were under way go on as cascades.
UPDATE jobs SET kind = 'cascade', input = '{"of":"organization","ids":' || input || ',"at":0,"step":0,"place":-1,"after":0,"since":'
    || created_at || '}' WHERE kind = 'delete_organizations' AND status IN (1, 2);

-- Marks of deleted objects while a cascade still changes the rows that refer to them (src/core/desk/cascade.c).
-- Readers hide marked objects.

ALTER TABLE teams ADD COLUMN deleted_at BIGINT;
ALTER TABLE custom_fields ADD COLUMN deleted_at BIGINT;
ALTER TABLE users ADD COLUMN leaving_at BIGINT; -- deleted, but conversations are still assigned to the person
ALTER TABLE users ADD COLUMN purged_at BIGINT;  -- purged, but data of the person is still to be erased; readers hide it
CREATE INDEX teams_gone ON teams (id) WHERE deleted_at IS NOT NULL;
CREATE INDEX organizations_gone ON organizations (id) WHERE deleted_at IS NOT NULL;
CREATE INDEX users_leaving ON users (id) WHERE leaving_at IS NOT NULL;
CREATE INDEX jobs_cascades ON jobs (id) WHERE kind = 'cascade' AND status IN (1, 2);

-- Cases of a team or a person in any state, so that those in the trash are found without a scan, too.
DROP INDEX cases_by_team;
DROP INDEX cases_by_agent;
CREATE INDEX cases_by_team ON cases (assigned_team_id, state, created_at, id) WHERE assigned_team_id IS NOT NULL;
CREATE INDEX cases_by_agent ON cases (assigned_agent_id, state, created_at, id) WHERE assigned_agent_id IS NOT NULL;
CREATE INDEX cases_by_type ON cases (type_id) WHERE type_id IS NOT NULL;

-- All sessions and chains of a person, ended or not.
CREATE INDEX sessions_of_user ON sessions (user_id, id);
CREATE INDEX remember_chains_of_user ON remember_chains (user_id);

-- Running jobs of the old kind continue as cascades.
UPDATE jobs SET kind = 'cascade', input = '{"of":"organization","ids":' || input || ',"at":0,"step":0,"place":-1,"after":0,"since":'
    || created_at || '}' WHERE kind = 'delete_organizations' AND status IN (1, 2);

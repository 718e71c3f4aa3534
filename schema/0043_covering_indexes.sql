-- Lists of people who may log in, or may not.
CREATE INDEX users_enabled ON users (is_enabled, id) WHERE deleted_at IS NULL;

-- Totals of pairs of filters, and of callers who see a part, are counted in these indexes, without the rows. They have the columns of the
-- other filters and of visibility. The indexes by updated_at move with each write anyway. Those by created_at have columns that seldom change.
DROP INDEX cases_updated_requester;
DROP INDEX cases_updated_organization;
DROP INDEX cases_by_team;
DROP INDEX cases_by_agent;
CREATE INDEX cases_updated_requester ON cases (requester_id, updated_at, id, state, assigned_team_id, assigned_agent_id, organization_id, status_type, priority_id);
CREATE INDEX cases_updated_organization ON cases (organization_id, updated_at, id, state, assigned_team_id, assigned_agent_id, requester_id, status_type, priority_id)
    WHERE organization_id IS NOT NULL;
CREATE INDEX cases_by_team ON cases (assigned_team_id, state, created_at, id, requester_id, organization_id, assigned_agent_id) WHERE assigned_team_id IS NOT NULL;
CREATE INDEX cases_by_agent ON cases (assigned_agent_id, state, created_at, id, requester_id, organization_id, assigned_team_id) WHERE assigned_agent_id IS NOT NULL;

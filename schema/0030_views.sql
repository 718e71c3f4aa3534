-- The subject as predicates compare it (fold_key). A job computes the keys of present conversations.
ALTER TABLE cases ADD COLUMN subject_key TEXT;
INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at)
    SELECT 'index_names', 1, '{"step": 6}', 0, 0, 0, 0 WHERE EXISTS (SELECT 1 FROM cases);

-- Views (docs/CONVERSATIONS.md, "Views and macros").
CREATE TABLE views (
    id @ID@,
    title TEXT NOT NULL,
    type INTEGER NOT NULL DEFAULT 4,             -- enum view_type; 4: CUSTOM
    visibility_type INTEGER NOT NULL,            -- enum view_visibility
    agent_id BIGINT REFERENCES users (id),       -- who made it; NULL: a system view
    predicate_collections TEXT,                  -- JSON as in the API; NULL: every conversation
    columns TEXT NOT NULL,                       -- JSON array of names
    order_by_column TEXT NOT NULL,
    order_by INTEGER NOT NULL,
    sort_order INTEGER NOT NULL DEFAULT 0,
    is_default INTEGER NOT NULL DEFAULT 0,
    is_system INTEGER NOT NULL DEFAULT 0,
    is_enabled INTEGER NOT NULL DEFAULT 1,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX views_agent ON views (agent_id) WHERE agent_id IS NOT NULL;
CREATE UNIQUE INDEX views_default ON views (is_default) WHERE is_default = 1;

CREATE TABLE view_teams (
    view_id BIGINT NOT NULL REFERENCES views (id) ON DELETE CASCADE,
    team_id BIGINT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    PRIMARY KEY (view_id, team_id)
);
CREATE INDEX view_teams_team ON view_teams (team_id);

INSERT INTO views (title, type, visibility_type, columns, order_by_column, order_by, sort_order, is_default, is_system, created_at, updated_at) VALUES
    ('Inbox', 1, 1, '["subject","requesterid","casestatusid","casepriorityid","assigneeagentid","updatedat"]', 'updatedat', 2, 1, 1, 1, 0, 0);
INSERT INTO views (title, type, visibility_type, columns, order_by_column, order_by, sort_order, is_default, is_system, created_at, updated_at) VALUES
    ('Suspended', 2, 1, '["subject","requesterid","updatedat"]', 'updatedat', 2, 2, 0, 1, 0, 0);
INSERT INTO views (title, type, visibility_type, columns, order_by_column, order_by, sort_order, is_default, is_system, created_at, updated_at) VALUES
    ('Trash', 3, 1, '["subject","requesterid","updatedat"]', 'updatedat', 2, 3, 0, 1, 0, 0);
UPDATE views SET created_at = COALESCE((SELECT MIN(created_at) FROM users), 0), updated_at = COALESCE((SELECT MIN(created_at) FROM users), 0);

-- The desk: settings, people, teams, roles, business hours, conversations with their posts, sessions, jobs.
-- Times are milliseconds since 1970 UTC, booleans are 0 or 1, JSON is text. src/core/words.h has the numbers of
-- enumerations.

CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE locales (
    id @ID@,
    locale TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    native_name TEXT NOT NULL,
    region TEXT,
    direction TEXT NOT NULL,
    is_public INTEGER NOT NULL,
    is_localised INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE business_hours (
    id @ID@,
    title TEXT NOT NULL,
    zones TEXT NOT NULL,    -- {"monday": [9, 10], ...}: all seven days, sorted
    holidays TEXT NOT NULL, -- [{"title", "date": "D/MM/YYYY", "open_hours"?}]
    time_zone TEXT NOT NULL,
    is_default INTEGER NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX business_hours_default ON business_hours (is_default) WHERE is_default = 1;

CREATE TABLE roles (
    id @ID@,
    title TEXT NOT NULL,
    type INTEGER NOT NULL,
    is_system INTEGER NOT NULL DEFAULT 0,
    agent_case_access INTEGER NOT NULL,
    denied BIGINT NOT NULL, -- one bit for each permission that is off: derived from role_permissions, for the check of every request
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE role_permissions (
    id @ID@,
    role_id BIGINT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (role_id, name)
);

CREATE TABLE organizations (
    id @ID@,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    legacy_id TEXT,
    is_shared INTEGER NOT NULL,
    is_validated INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX organizations_legacy ON organizations (legacy_id) WHERE legacy_id IS NOT NULL;
CREATE INDEX organizations_name ON organizations (name_key, id);

CREATE TABLE users (
    id @ID@,
    uuid TEXT NOT NULL UNIQUE,
    full_name TEXT NOT NULL,
    name_key TEXT NOT NULL, -- fold_key of full_name
    legacy_id TEXT,
    designation TEXT,
    is_enabled INTEGER NOT NULL,
    is_mfa_enabled INTEGER NOT NULL,
    role_id BIGINT NOT NULL REFERENCES roles (id),
    role_type INTEGER NOT NULL, -- the role's type, for lists of one kind of people
    agent_case_access INTEGER,
    organization_case_access INTEGER,
    organization_id BIGINT REFERENCES organizations (id),
    locale_id BIGINT REFERENCES locales (id),
    time_zone TEXT,
    greeting TEXT,
    signature TEXT,
    status_message TEXT,
    password_hash TEXT,
    password_updated_at BIGINT,
    avatar_updated_at BIGINT,
    last_seen_user_agent TEXT,
    last_seen_ip TEXT,
    last_seen_at BIGINT,
    last_active_at BIGINT,
    last_logged_in_at BIGINT,
    last_activity_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT -- references still show the name, but GET answers 404
);
CREATE UNIQUE INDEX users_legacy ON users (legacy_id) WHERE legacy_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX users_by_role ON users (role_id);
CREATE INDEX users_by_role_type ON users (role_type, id) WHERE deleted_at IS NULL;
CREATE INDEX users_by_organization ON users (organization_id, name_key, id) WHERE organization_id IS NOT NULL;

CREATE TABLE identity_emails (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id),
    email TEXT NOT NULL,
    email_key TEXT NOT NULL, -- normalised for comparison (email_key of src/base/fold.h)
    is_primary INTEGER NOT NULL,
    is_validated INTEGER NOT NULL,
    is_notification_enabled INTEGER NOT NULL,
    is_claim INTEGER NOT NULL, -- added by its user and not yet verified: has no effect
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX identity_emails_key ON identity_emails (email_key) WHERE is_claim = 0;
CREATE INDEX identity_emails_user ON identity_emails (user_id, is_primary);

CREATE TABLE identity_phones (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id),
    number TEXT NOT NULL,
    number_key TEXT NOT NULL,
    type INTEGER NOT NULL,
    is_primary INTEGER NOT NULL,
    is_validated INTEGER NOT NULL,
    is_claim INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX identity_phones_key ON identity_phones (number_key) WHERE is_claim = 0;
CREATE INDEX identity_phones_user ON identity_phones (user_id, is_primary);

CREATE TABLE teams (
    id @ID@,
    legacy_id TEXT,
    title TEXT NOT NULL,
    businesshour_id BIGINT REFERENCES business_hours (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX teams_legacy ON teams (legacy_id) WHERE legacy_id IS NOT NULL;
CREATE INDEX teams_by_hours ON teams (businesshour_id);

CREATE TABLE team_members (
    team_id BIGINT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (team_id, user_id)
);
CREATE INDEX team_members_user ON team_members (user_id, team_id);

CREATE TABLE sessions (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id),
    user_agent TEXT NOT NULL,
    ip_address TEXT NOT NULL,
    is_csrf_checked INTEGER NOT NULL,
    remembered_by BIGINT, -- the remember-me chain that opened the session
    created_at BIGINT NOT NULL,
    last_activity_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX sessions_user ON sessions (user_id, id) WHERE ended_at IS NULL;

CREATE TABLE login_failures (
    id @ID@,
    account TEXT NOT NULL, -- keyed hash of the normalised login, whether the account exists or not
    ip_address TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX login_failures_account ON login_failures (account, ip_address, created_at);
CREATE INDEX login_failures_address ON login_failures (ip_address, created_at);

CREATE TABLE case_statuses (
    id @ID@,
    label TEXT NOT NULL,
    type INTEGER NOT NULL,
    sort_order INTEGER NOT NULL,
    is_sla_active INTEGER NOT NULL,
    is_system INTEGER NOT NULL DEFAULT 0,
    is_deleted INTEGER NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE case_priorities (
    id @ID@,
    label TEXT NOT NULL,
    level INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE case_types (
    id @ID@,
    label TEXT NOT NULL,
    type INTEGER NOT NULL,
    sort_order INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE cases (
    id @ID@,
    uuid TEXT NOT NULL,
    legacy_id TEXT,
    subject TEXT NOT NULL,
    channel INTEGER NOT NULL,
    source INTEGER,
    state INTEGER NOT NULL,
    requester_id BIGINT NOT NULL REFERENCES users (id),
    requester_name TEXT,       -- the name that a caller without login gave; the person's own name stays private
    creator_id BIGINT NOT NULL REFERENCES users (id),
    organization_id BIGINT,    -- organization of the requester, kept equal for lists by organization
    fingerprint TEXT,
    assigned_team_id BIGINT REFERENCES teams (id),
    assigned_agent_id BIGINT REFERENCES users (id),
    status_id BIGINT NOT NULL REFERENCES case_statuses (id),
    status_type INTEGER NOT NULL, -- type of the status, for lists of one type
    priority_id BIGINT REFERENCES case_priorities (id),
    type_id BIGINT REFERENCES case_types (id),
    metadata TEXT,
    message_seq BIGINT NOT NULL, -- number of messages so far, so that an unread count is a subtraction
    reopen_count INTEGER NOT NULL,
    last_replier_id BIGINT REFERENCES users (id),
    last_agent_replier_id BIGINT REFERENCES users (id),
    last_message_id BIGINT,
    last_message_status INTEGER,
    last_message_preview TEXT,
    last_replied_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
-- One index for each branch of visibility (src/core/access/access.c), in the order of the list.
CREATE INDEX cases_recent ON cases (created_at, id) WHERE state = 1;
CREATE INDEX cases_by_status ON cases (status_type, created_at, id) WHERE state = 1;
CREATE INDEX cases_by_team ON cases (assigned_team_id, created_at, id) WHERE state = 1 AND assigned_team_id IS NOT NULL;
CREATE INDEX cases_by_agent ON cases (assigned_agent_id, created_at, id) WHERE state = 1 AND assigned_agent_id IS NOT NULL;
CREATE INDEX cases_unassigned ON cases (created_at, id)
    WHERE state = 1 AND assigned_team_id IS NULL AND assigned_agent_id IS NULL;
CREATE INDEX cases_by_requester ON cases (requester_id, created_at, id);
CREATE INDEX cases_by_organization ON cases (organization_id, created_at, id) WHERE organization_id IS NOT NULL;
CREATE INDEX cases_by_fingerprint ON cases (fingerprint, created_at, id) WHERE fingerprint IS NOT NULL;
CREATE INDEX cases_by_priority ON cases (priority_id) WHERE priority_id IS NOT NULL;
CREATE UNIQUE INDEX cases_legacy ON cases (legacy_id) WHERE legacy_id IS NOT NULL;

-- Number of active cases for each (team, agent, type of status), and the sums over teams, agents or both (-1). 0 means
-- no team or no agent. The source of total_count for lists that are unfiltered or filtered by one dimension.
CREATE TABLE case_counts (
    team_id BIGINT NOT NULL,
    agent_id BIGINT NOT NULL,
    status_type INTEGER NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (team_id, agent_id, status_type)
);

CREATE TABLE case_participants (
    case_id BIGINT NOT NULL REFERENCES cases (id),
    user_id BIGINT NOT NULL REFERENCES users (id),
    PRIMARY KEY (case_id, user_id)
);

-- Messages, notes and activities share one id space.
CREATE TABLE posts (
    id @ID@,
    case_id BIGINT NOT NULL REFERENCES cases (id),
    kind INTEGER NOT NULL,
    seq BIGINT NOT NULL, -- for messages: 1, 2, 3 ... in their case
    uuid TEXT NOT NULL,
    client_id TEXT,
    subject TEXT,
    content_text TEXT NOT NULL,
    content_html TEXT,
    creator_id BIGINT NOT NULL REFERENCES users (id),
    creator_name TEXT,
    is_requester INTEGER NOT NULL,
    channel INTEGER NOT NULL,
    source INTEGER,
    metadata TEXT,
    message_status INTEGER,
    reject_type INTEGER,
    reject_reason TEXT,
    message_status_updated_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX posts_of_case ON posts (case_id, kind, id);
CREATE UNIQUE INDEX posts_client ON posts (case_id, creator_id, client_id) WHERE client_id IS NOT NULL;

CREATE TABLE read_markers (
    case_id BIGINT NOT NULL REFERENCES cases (id),
    user_id BIGINT NOT NULL REFERENCES users (id),
    last_read_post_id BIGINT,
    last_read_seq BIGINT NOT NULL,
    last_read_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, case_id)
);

CREATE TABLE jobs (
    id @ID@,
    kind TEXT NOT NULL,
    status INTEGER NOT NULL,
    creator_id BIGINT REFERENCES users (id),
    input TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    run_at BIGINT NOT NULL,
    lease_until BIGINT,
    total INTEGER,
    inserted INTEGER,
    rejected INTEGER,
    errors TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE status IN (1, 2);

-- First results by Idempotency-Key, kept for 24 hours. The reply is encrypted under a key derived from the
-- Idempotency-Key.
CREATE TABLE idempotency (
    caller TEXT NOT NULL,
    key_hash TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    status INTEGER NOT NULL,
    reply @BLOB@ NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (caller, key_hash)
);
CREATE INDEX idempotency_old ON idempotency (created_at);

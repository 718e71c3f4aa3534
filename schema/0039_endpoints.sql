-- Endpoints: targets of the action endpoint_<id> of rules (docs/RULES.md, "Endpoints").
CREATE TABLE endpoints (
    id @ID@,
    title TEXT NOT NULL,
    type INTEGER NOT NULL,              -- enum endpoint_type
    is_enabled INTEGER NOT NULL DEFAULT 1,
    address TEXT,                       -- EMAIL
    subject TEXT,
    webhook_url TEXT,                   -- SLACK
    channel TEXT,
    url TEXT,                           -- HTTP
    method INTEGER,                     -- enum endpoint_method
    content_type INTEGER,               -- enum endpoint_content
    use_auth INTEGER NOT NULL DEFAULT 0,
    auth_username TEXT,
    auth_password TEXT,                 -- sealed
    secret TEXT,                        -- sealed; HTTP: the key of signatures
    former_secret TEXT,                 -- sealed; it also signs until former_secret_until
    former_secret_until BIGINT,
    deleted_at BIGINT,                  -- a cascade is deleting its deliveries
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- The last attempt of each endpoint. A table of its own, because a write that adds a delivery holds the row of the endpoint.
CREATE TABLE endpoint_states (
    endpoint_id BIGINT PRIMARY KEY REFERENCES endpoints (id) ON DELETE CASCADE,
    last_attempt_result INTEGER NOT NULL, -- enum attempt_result
    last_attempt_message TEXT,
    last_attempt_at BIGINT NOT NULL
);

CREATE TABLE endpoint_deliveries (
    id @ID@,
    endpoint_id BIGINT NOT NULL REFERENCES endpoints (id),
    case_id BIGINT REFERENCES cases (id), -- NULL: a test of the endpoint
    event_id TEXT NOT NULL,               -- UUID; the same in each attempt
    body TEXT,                            -- NULL: erased
    cause TEXT,                           -- the rule: "Trigger: Escalate"
    status INTEGER NOT NULL,              -- enum delivery_status
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at BIGINT NOT NULL,
    retry_until BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX endpoint_deliveries_endpoint ON endpoint_deliveries (endpoint_id, id);
CREATE INDEX endpoint_deliveries_case ON endpoint_deliveries (case_id) WHERE case_id IS NOT NULL;
CREATE INDEX endpoint_deliveries_age ON endpoint_deliveries (created_at);
CREATE INDEX endpoint_deliveries_due ON endpoint_deliveries (endpoint_id, next_attempt_at, id) WHERE status = 1;
CREATE INDEX endpoint_deliveries_queue ON endpoint_deliveries (endpoint_id, case_id, id) WHERE status = 1;

CREATE TABLE endpoint_attempts (
    id @ID@,
    endpoint_id BIGINT NOT NULL,
    delivery_id BIGINT NOT NULL REFERENCES endpoint_deliveries (id) ON DELETE CASCADE,
    result INTEGER NOT NULL,              -- enum attempt_result
    status_code INTEGER,                  -- of the reply; NULL: no reply
    message TEXT,
    duration INTEGER NOT NULL,            -- milliseconds
    created_at BIGINT NOT NULL
);
CREATE INDEX endpoint_attempts_endpoint ON endpoint_attempts (endpoint_id, id);
CREATE INDEX endpoint_attempts_delivery ON endpoint_attempts (delivery_id, id);

-- Leases: work that one process at a time does (core/change/lease.h).
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,  -- id of the run of a process
    until BIGINT NOT NULL,
    place TEXT             -- where the next holder continues, such as a cursor of the change log
);

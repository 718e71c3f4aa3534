-- Triggers and the actions of rules (docs/RULES.md, "Triggers and monitors").
CREATE TABLE triggers (
    id @ID@,
    title TEXT NOT NULL,
    channel INTEGER,                              -- enum rule_channel; NULL: any
    event INTEGER,                                -- enum rule_event; NULL: any
    is_enabled INTEGER NOT NULL,
    execution_order INTEGER NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX triggers_by_order ON triggers (execution_order, id);

-- The time of the last firing: the newest of the rows of a trigger. Concurrent writes take different shards, so that no write waits.
CREATE TABLE trigger_firings (
    trigger_id BIGINT NOT NULL REFERENCES triggers (id) ON DELETE CASCADE,
    shard INTEGER NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (trigger_id, shard)
);

CREATE TABLE rule_actions (
    id @ID@,
    owner INTEGER NOT NULL,                       -- enum rule_owner
    owner_id BIGINT NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    option INTEGER NOT NULL,                      -- enum action_option
    value TEXT,                                   -- JSON
    attributes TEXT                               -- JSON object; NULL: none
);
CREATE INDEX rule_actions_of ON rule_actions (owner, owner_id, position);

-- The generation of all rules: a random number, new after each change. Processes compile the rules again when it differs.
CREATE TABLE rule_generations (
    id INTEGER NOT NULL PRIMARY KEY,
    generation BIGINT NOT NULL
);
INSERT INTO rule_generations (id, generation) VALUES (1, 1);

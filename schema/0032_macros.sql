-- Macros: a reply text and changes that staff apply to conversations (docs/CONVERSATIONS.md, "Views and macros").
CREATE TABLE macros (
    id @ID@,
    title TEXT NOT NULL,
    title_key TEXT NOT NULL,
    agent_id BIGINT NOT NULL REFERENCES users (id),                        -- who made it
    visibility_type INTEGER NOT NULL,                                      -- enum macro_visibility
    visible_to_team_id BIGINT REFERENCES teams (id) ON DELETE SET NULL,
    reply_type INTEGER NOT NULL,                                           -- enum macro_reply
    reply_contents TEXT,
    assignee_type INTEGER,                                                 -- enum macro_assignee; NULL: it stays
    assigned_team_id BIGINT REFERENCES teams (id) ON DELETE SET NULL,
    assigned_agent_id BIGINT REFERENCES users (id),
    type_id BIGINT REFERENCES case_types (id) ON DELETE SET NULL,
    status_id BIGINT REFERENCES case_statuses (id),
    priority_id BIGINT REFERENCES case_priorities (id) ON DELETE SET NULL,
    priority_action INTEGER,                                               -- enum priority_action
    usage_count BIGINT NOT NULL DEFAULT 0,
    last_used_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX macros_agent ON macros (agent_id);
CREATE INDEX macros_by_title ON macros (title_key, id);
CREATE INDEX macros_visible_team ON macros (visible_to_team_id) WHERE visible_to_team_id IS NOT NULL;
CREATE INDEX macros_assigned_team ON macros (assigned_team_id) WHERE assigned_team_id IS NOT NULL;
CREATE INDEX macros_type ON macros (type_id) WHERE type_id IS NOT NULL;
CREATE INDEX macros_priority ON macros (priority_id) WHERE priority_id IS NOT NULL;

CREATE TABLE macro_tags (
    macro_id BIGINT NOT NULL REFERENCES macros (id) ON DELETE CASCADE,
    tag_id BIGINT NOT NULL REFERENCES tags (id),
    is_removed INTEGER NOT NULL, -- 1: the macro removes the tag
    PRIMARY KEY (macro_id, is_removed, tag_id)
);
CREATE INDEX macro_tags_tag ON macro_tags (tag_id);

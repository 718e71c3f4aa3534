-- Changes of the status and of the state of conversations, from which SLA clocks are computed (docs/RULES.md). Never pruned.
CREATE TABLE case_status_changes (
    id @ID@,
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    from_status_id BIGINT NOT NULL REFERENCES case_statuses (id),
    to_status_id BIGINT NOT NULL REFERENCES case_statuses (id),
    from_state INTEGER NOT NULL,
    to_state INTEGER NOT NULL
);
-- What the change log has: a status changes only while the conversation is active.
INSERT INTO case_status_changes (case_id, at, from_status_id, to_status_id, from_state, to_state)
    SELECT l.object_id, l.changed_at, f.id, n.id, 1, 1 FROM change_log l JOIN cases c ON c.id = l.object_id
    JOIN case_statuses f ON CAST(f.id AS VARCHAR) = l.old_value JOIN case_statuses n ON CAST(n.id AS VARCHAR) = l.new_value
    WHERE l.kind = 'case' AND l.property = 'status' ORDER BY l.id;
-- The log of the others is pruned. The time of their last change is known, and they began with the first status.
INSERT INTO case_status_changes (case_id, at, from_status_id, to_status_id, from_state, to_state)
    SELECT k.id, k.at, k.first, k.status_id, 1, 1 FROM (SELECT c.id, c.status_id, CASE c.status_type WHEN 2 THEN c.last_opened_at WHEN 3 THEN c.last_pending_at
        WHEN 4 THEN c.last_completed_at WHEN 5 THEN c.last_closed_at END AS at, (SELECT MIN(s.id) FROM case_statuses s WHERE s.type = 1) AS first
        FROM cases c WHERE c.status_type <> 1 AND NOT EXISTS (SELECT 1 FROM case_status_changes h WHERE h.case_id = c.id)) k
    WHERE k.at IS NOT NULL AND k.first IS NOT NULL ORDER BY k.id;
INSERT INTO case_status_changes (case_id, at, from_status_id, to_status_id, from_state, to_state)
    SELECT c.id, c.updated_at, c.status_id, c.status_id, 1, c.state FROM cases c WHERE c.state IN (2, 3, 4) ORDER BY c.id;
CREATE INDEX case_status_changes_of_case ON case_status_changes (case_id, id);

-- Replies: messages by staff who are not the requester, without the first message of a conversation.
ALTER TABLE posts ADD COLUMN by_staff INTEGER NOT NULL DEFAULT 0;
UPDATE posts SET by_staff = 1 WHERE kind = 1 AND is_requester = 0 AND creator_id IN (SELECT u.id FROM users u WHERE u.role_type >= 2)
    AND EXISTS (SELECT 1 FROM posts p WHERE p.case_id = posts.case_id AND p.kind = 1 AND p.id < posts.id);
CREATE INDEX posts_by_staff ON posts (case_id, id) WHERE by_staff = 1;

-- The clocks of conversations with an SLA: at most one of each type.
CREATE TABLE sla_metrics (
    id @ID@,
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    type INTEGER NOT NULL,         -- enum sla_target_type
    sla_target_id BIGINT NOT NULL REFERENCES sla_targets (id) ON DELETE CASCADE,
    stage INTEGER NOT NULL,        -- enum clock_stage
    started_at BIGINT NOT NULL,
    due_at BIGINT,                 -- NULL: the clock stands still, or never reaches its goal
    last_paused_at BIGINT,
    completed_at BIGINT,
    is_breached INTEGER NOT NULL,
    breached_at BIGINT,            -- when the breach of this run was noticed; stays if the target changes
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (case_id, type)
);
CREATE INDEX sla_metrics_due ON sla_metrics (due_at) WHERE stage <> 3 AND is_breached = 0 AND due_at IS NOT NULL;
CREATE INDEX sla_metrics_open ON sla_metrics (case_id) WHERE stage <> 3;
CREATE INDEX sla_metrics_of_target ON sla_metrics (sla_target_id);

-- Runs of the next reply that are over, because a later message of the requester began another run. sla_metrics has the last run.
CREATE TABLE sla_runs (
    id @ID@,
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    type INTEGER NOT NULL,         -- enum sla_target_type
    sla_target_id BIGINT NOT NULL REFERENCES sla_targets (id) ON DELETE CASCADE,
    started_at BIGINT NOT NULL,
    due_at BIGINT,                 -- when the goal was used up, or would have been; NULL: never
    last_paused_at BIGINT,
    completed_at BIGINT NOT NULL,
    is_breached INTEGER NOT NULL,
    breached_at BIGINT,
    created_at BIGINT NOT NULL,
    UNIQUE (case_id, type, started_at)
);
CREATE INDEX sla_runs_of_target ON sla_runs (sla_target_id);

ALTER TABLE brands ADD COLUMN time_zone TEXT; -- NULL: the zone of the desk

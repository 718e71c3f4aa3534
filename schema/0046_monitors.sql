-- Monitors: rules that run on schedule (docs/RULES.md, "Triggers and monitors").
CREATE TABLE monitors (
    id @ID@,
    title TEXT NOT NULL,
    is_enabled INTEGER NOT NULL,
    execution_order INTEGER NOT NULL DEFAULT 0,
    generation BIGINT NOT NULL DEFAULT 0, -- a change of the predicate or the actions adds 1
    next_run_at BIGINT NOT NULL DEFAULT 0,
    last_executed_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX monitors_by_order ON monitors (execution_order, id);
CREATE INDEX monitors_due ON monitors (next_run_at) WHERE is_enabled = 1;

-- The conversations on which a generation of a monitor has acted, with their updated_at afterwards. It acts again after another change of the
-- conversation. A cascade deletes the rows of a deleted monitor.
CREATE TABLE monitor_cases (
    monitor_id BIGINT NOT NULL,
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    generation BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (monitor_id, case_id)
);
CREATE INDEX monitor_cases_of_case ON monitor_cases (case_id);

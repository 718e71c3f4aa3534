-- What a step of a clock needs, so that a write continues the clocks of a conversation without its history (src/core/sla/clock_step.c).
ALTER TABLE cases ADD COLUMN status_changed_at BIGINT; -- the last change of the status or the state; NULL: there was none
UPDATE cases SET status_changed_at = (SELECT MAX(h.at) FROM case_status_changes h WHERE h.case_id = cases.id)
    WHERE id IN (SELECT h.case_id FROM case_status_changes h);
ALTER TABLE sla_metrics ADD COLUMN counts INTEGER NOT NULL DEFAULT 0; -- 1: the clock counts since `since`
ALTER TABLE sla_metrics ADD COLUMN since BIGINT NOT NULL DEFAULT 0;   -- start of the last stretch of the run
ALTER TABLE sla_metrics ADD COLUMN counted BIGINT NOT NULL DEFAULT 0; -- milliseconds that were counted before `since`
-- The epoch of clock_generations in which the row was computed. 0: before this file. The next change of such a conversation reads its history.
ALTER TABLE sla_metrics ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;

-- A new random number in each write that changes a setting which clocks depend on (src/core/sla/clock_settings.c). One row.
CREATE TABLE clock_generations (
    id INTEGER NOT NULL PRIMARY KEY,
    generation BIGINT NOT NULL,
    epoch BIGINT NOT NULL -- the generation since which computed clocks hold
);
INSERT INTO clock_generations (id, generation, epoch) VALUES (1, 1, 1);

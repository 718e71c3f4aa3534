-- Service level agreements and their versions (docs/RULES.md).
CREATE TABLE slas (
    id @ID@,
    title TEXT NOT NULL,
    description TEXT,
    execution_order INTEGER NOT NULL DEFAULT 0, -- the first enabled SLA whose predicate holds is attached
    is_enabled INTEGER NOT NULL,
    is_deleted INTEGER NOT NULL DEFAULT 0,
    version_id BIGINT,                          -- the current version, a row of sla_versions. No foreign key: it would be circular
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX slas_enabled ON slas (execution_order, id) WHERE is_enabled = 1 AND is_deleted = 0;

-- Conversations refer to a version. A version and its targets never change.
CREATE TABLE sla_versions (
    id @ID@,
    sla_id BIGINT NOT NULL REFERENCES slas (id),
    title TEXT NOT NULL,
    description TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX sla_versions_of_sla ON sla_versions (sla_id);

-- A target belongs to an SLA, where it is edited, or to a version, as a copy. The targets of SLAs keep their ids.
CREATE TABLE sla_targets (
    id @ID@,
    sla_id BIGINT REFERENCES slas (id),
    sla_version_id BIGINT REFERENCES sla_versions (id),
    priority_id BIGINT REFERENCES case_priorities (id) ON DELETE CASCADE, -- NULL: all priorities without a target of their own
    type INTEGER NOT NULL,                                                -- enum sla_target_type
    goal_in_seconds BIGINT NOT NULL,
    operational_hours INTEGER NOT NULL,                                   -- enum sla_hours
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK ((sla_id IS NULL) <> (sla_version_id IS NULL))
);
CREATE INDEX sla_targets_of_sla ON sla_targets (sla_id) WHERE sla_id IS NOT NULL;
CREATE INDEX sla_targets_of_version ON sla_targets (sla_version_id) WHERE sla_version_id IS NOT NULL;
CREATE INDEX sla_targets_of_priority ON sla_targets (priority_id) WHERE priority_id IS NOT NULL;

ALTER TABLE cases ADD COLUMN sla_version_id BIGINT REFERENCES sla_versions (id); -- the attached version; NULL: none
CREATE INDEX cases_by_sla ON cases (sla_version_id) WHERE sla_version_id IS NOT NULL;
ALTER TABLE cases ADD COLUMN surveyed_at BIGINT; -- time of the last satisfaction survey; NULL: none was sent

-- The columns of a conversation that follow each change of it have no foreign key: last repliers, last actors, and the attached SLA. People and
-- versions of SLAs are never deleted, and each value is the person of a work or a version that the write has just read. `deskd check` looks for
-- others. A named foreign key makes SQLite read all columns of the row twice, and keep the former page of each index that the UPDATE changes.
@SQLITE{
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(replace(replace(replace(replace(replace(sql,
    'last_replier_id BIGINT REFERENCES users (id)', 'last_replier_id BIGINT'),
    'last_agent_replier_id BIGINT REFERENCES users (id)', 'last_agent_replier_id BIGINT'),
    'last_updated_by_id BIGINT REFERENCES users (id)', 'last_updated_by_id BIGINT'),
    'last_assigned_by_id BIGINT REFERENCES users (id)', 'last_assigned_by_id BIGINT'),
    'last_completed_by_id BIGINT REFERENCES users (id)', 'last_completed_by_id BIGINT'),
    'last_closed_by_id BIGINT REFERENCES users (id)', 'last_closed_by_id BIGINT'),
    'sla_version_id BIGINT REFERENCES sla_versions (id)', 'sla_version_id BIGINT')
    WHERE type = 'table' AND name = 'cases';
PRAGMA writable_schema = RESET;
}@
@POSTGRES{
ALTER TABLE cases
    DROP CONSTRAINT cases_last_replier_id_fkey, DROP CONSTRAINT cases_last_agent_replier_id_fkey,
    DROP CONSTRAINT cases_last_updated_by_id_fkey, DROP CONSTRAINT cases_last_assigned_by_id_fkey,
    DROP CONSTRAINT cases_last_completed_by_id_fkey, DROP CONSTRAINT cases_last_closed_by_id_fkey,
    DROP CONSTRAINT cases_sla_version_id_fkey;
}@

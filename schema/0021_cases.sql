-- Columns and tables of cases: last actors and times, the trash, merging, tags (docs/CONVERSATIONS.md).
ALTER TABLE cases ADD COLUMN brand_id BIGINT REFERENCES brands (id); -- NULL: the first brand
ALTER TABLE cases ADD COLUMN last_assigned_by_id BIGINT REFERENCES users (id);
ALTER TABLE cases ADD COLUMN last_updated_by_id BIGINT REFERENCES users (id);
ALTER TABLE cases ADD COLUMN last_completed_by_id BIGINT REFERENCES users (id);
ALTER TABLE cases ADD COLUMN last_closed_by_id BIGINT REFERENCES users (id);
ALTER TABLE cases ADD COLUMN last_assigned_at BIGINT;
ALTER TABLE cases ADD COLUMN latest_assignee_update BIGINT;
ALTER TABLE cases ADD COLUMN last_opened_at BIGINT;
ALTER TABLE cases ADD COLUMN last_pending_at BIGINT;
ALTER TABLE cases ADD COLUMN last_completed_at BIGINT;
ALTER TABLE cases ADD COLUMN last_closed_at BIGINT;
ALTER TABLE cases ADD COLUMN agent_updated_at BIGINT;
ALTER TABLE cases ADD COLUMN last_agent_activity_at BIGINT;
ALTER TABLE cases ADD COLUMN last_customer_activity_at BIGINT;
ALTER TABLE cases ADD COLUMN last_reply_by_agent_at BIGINT;
ALTER TABLE cases ADD COLUMN last_reply_by_requester_at BIGINT;
ALTER TABLE cases ADD COLUMN notes_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE cases ADD COLUMN pinned_notes_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE cases ADD COLUMN last_note_preview TEXT; -- set if the last note is newer than the last message
ALTER TABLE cases ADD COLUMN last_public_channel INTEGER; -- NULL: same as channel
ALTER TABLE cases ADD COLUMN merged_into_id BIGINT REFERENCES cases (id);

-- One index for each branch of visibility and each filter, in the order of the list for staff.
CREATE INDEX cases_updated ON cases (updated_at, id) WHERE state = 1;
CREATE INDEX cases_updated_status ON cases (status_type, updated_at, id) WHERE state = 1;
CREATE INDEX cases_updated_team ON cases (assigned_team_id, updated_at, id) WHERE state = 1 AND assigned_team_id IS NOT NULL;
CREATE INDEX cases_updated_agent ON cases (assigned_agent_id, updated_at, id) WHERE state = 1 AND assigned_agent_id IS NOT NULL;
CREATE INDEX cases_updated_unassigned ON cases (updated_at, id) WHERE state = 1 AND assigned_team_id IS NULL AND assigned_agent_id IS NULL;
CREATE INDEX cases_updated_requester ON cases (requester_id, updated_at, id);
CREATE INDEX cases_updated_organization ON cases (organization_id, updated_at, id) WHERE organization_id IS NOT NULL;
CREATE INDEX cases_updated_priority ON cases (priority_id, updated_at, id) WHERE state = 1 AND priority_id IS NOT NULL;
CREATE INDEX cases_hidden ON cases (state, updated_at, id) WHERE state <> 1;
CREATE INDEX cases_merged ON cases (merged_into_id) WHERE merged_into_id IS NOT NULL;
DROP INDEX cases_by_priority;
CREATE INDEX cases_by_priority ON cases (priority_id, created_at, id) WHERE state = 1 AND priority_id IS NOT NULL;
-- The deletion of a brand looks up its conversations.
CREATE INDEX cases_by_brand ON cases (brand_id) WHERE brand_id IS NOT NULL;

CREATE TABLE case_tags (
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    tag_id BIGINT NOT NULL REFERENCES tags (id),
    PRIMARY KEY (case_id, tag_id)
);
CREATE INDEX case_tags_of_tag ON case_tags (tag_id, case_id);

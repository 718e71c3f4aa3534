-- Notifications of people of staff (src/core/cases/staff_notice.c has the rules). A job deletes old ones (src/core/cases/notification_rows.c).
CREATE TABLE notifications (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    type INTEGER NOT NULL,         -- enum notification_type
    post_id BIGINT,                -- the message or note; no foreign key, because posts are two tables
    actor_id BIGINT,               -- the person who caused it; no foreign key, because people are never deleted
    others_count INTEGER NOT NULL, -- further conversations of the same write
    read_at BIGINT,
    created_at BIGINT NOT NULL
);
-- The list of a person, and its unread ones.
CREATE INDEX notifications_of_user ON notifications (user_id, id, read_at);
CREATE INDEX notifications_of_case ON notifications (case_id);

-- The last due time of a clock of which the sweep has warned (src/core/sla/sla_warning.c). One row.
CREATE TABLE sla_warnings (
    id INTEGER NOT NULL PRIMARY KEY,
    told_until BIGINT NOT NULL
);
INSERT INTO sla_warnings (id, told_until) VALUES (1, 0);

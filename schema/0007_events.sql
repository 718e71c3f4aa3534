-- Events of people, reported by other systems; an index of posts by person; indexes for the sweeper.

CREATE TABLE events (
    id @ID@,
    uuid TEXT NOT NULL UNIQUE,
    event TEXT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id),
    properties TEXT NOT NULL, -- JSON object, with the keys as sent
    triggered_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX events_of_user ON events (user_id, id);

CREATE INDEX posts_by_creator ON posts (creator_id, id);

CREATE INDEX sessions_old ON sessions (last_activity_at);
CREATE INDEX outgoing_mails_done ON outgoing_mails (updated_at) WHERE letter IS NULL;

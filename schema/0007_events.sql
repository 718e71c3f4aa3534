-- What other systems told of people, and what people wrote, by person.

CREATE TABLE events (
    id @ID@,
    uuid TEXT NOT NULL UNIQUE,
    event TEXT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id),
    properties TEXT NOT NULL, -- JSON object, keys as they came
    triggered_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX events_of_user ON events (user_id, id);

CREATE INDEX posts_by_creator ON posts (creator_id, id);

-- Notifications that a person chose to get or not to get. Without a row the default of core/people/notification.c applies.
CREATE TABLE notification_preferences (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    type INTEGER NOT NULL,     -- enum notification_type
    channel INTEGER NOT NULL,  -- enum notification_channel
    is_enabled INTEGER NOT NULL,
    PRIMARY KEY (user_id, type, channel)
)@SQLITE{ WITHOUT ROWID}@;
CREATE INDEX notification_preferences_chosen ON notification_preferences (type, channel, user_id) WHERE is_enabled = 1;

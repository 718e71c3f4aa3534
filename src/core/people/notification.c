#include "core/people/notification.h"

#include "core/change/change.h"

const struct word notification_types[] = {{NOTIFY_CREATED, "case_created"},
                                          {NOTIFY_REPLY, "reply_on_case"},
                                          {NOTIFY_AGENT, "case_assigned_to_agent"},
                                          {NOTIFY_TEAM, "case_assigned_to_team"},
                                          {NOTIFY_BREACH, "sla_breached"},
                                          {NOTIFY_MENTION, "mentioned_in_conversation"},
                                          {0}};
const struct word notification_channels[] = {{NOTIFY_DESKTOP, "desktop"}, {NOTIFY_MOBILE, "mobile"}, {NOTIFY_EMAIL, "email"}, {0}};

QUERY(preferences_of_user, "SELECT type, channel, is_enabled FROM notification_preferences WHERE user_id = :user");
QUERY(preference_now, "SELECT is_enabled FROM notification_preferences WHERE user_id = :user AND type = :type AND channel = :channel");
QUERY(preference_put, "INSERT INTO notification_preferences (user_id, type, channel, is_enabled) VALUES (:user, :type, :channel, "
                      ":enabled) ON CONFLICT (user_id, type, channel) DO UPDATE SET is_enabled = excluded.is_enabled");

bool notification_default(enum notification_type type, enum notification_channel channel) {
    return channel != NOTIFY_EMAIL || (type != NOTIFY_CREATED && type != NOTIFY_TEAM);
}

int notification_preferences_read(struct work *w, int64_t user_id, struct notification_preferences *out) {
    int rc;
    for (int t = 1; t < NOTIFY_TYPES; t++)
        for (int c = 1; c < NOTIFY_CHANNELS; c++) out->is_enabled[t][c] = notification_default(t, c);
    DB_ROWS(rc, w->conn, &preferences_of_user, BINDS(B_INT("user", user_id)), row) {
        int64_t t = col_int(row, 0), c = col_int(row, 1);
        if (t > 0 && t < NOTIFY_TYPES && c > 0 && c < NOTIFY_CHANNELS) out->is_enabled[t][c] = col_int(row, 2) != 0;
    }
    return rc;
}

int notification_prefer(struct work *w, enum notification_type type, enum notification_channel channel, bool enabled) {
    int64_t user = w->actor.user_id, now = notification_default(type, channel);
    const struct bind *binds = BINDS(B_INT("user", user), B_INT("type", type), B_INT("channel", channel), B_INT("enabled", enabled));
    int rc = db_int(w->conn, &preference_now, binds, &now);
    if (rc < 0 || (now != 0) == enabled) return rc < 0 ? rc : 0;
    TRY(db_exec(w->conn, &preference_put, binds));
    const char *property =
        str_fmt(w->arena, "notification_preferences.%s.%s", word_of(notification_types, type), word_of(notification_channels, channel)).p;
    change_property(w, (struct changed){"user", user, 0}, property, changed_bool(!enabled), changed_bool(enabled));
    return 0;
}

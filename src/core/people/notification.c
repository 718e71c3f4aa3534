#include "core/people/notification.h"

#include "core/change/change.h"
#include "json/json.h"

#include <inttypes.h>

const struct word notification_types[] = {{NOTIFY_CREATED, "case_created"},
                                          {NOTIFY_REPLY, "reply_on_case"},
                                          {NOTIFY_AGENT, "case_assigned_to_agent"},
                                          {NOTIFY_TEAM, "case_assigned_to_team"},
                                          {NOTIFY_BREACH, "sla_breached"},
                                          {NOTIFY_MENTION, "mentioned_in_conversation"},
                                          {0}};
const struct word notification_channels[] = {
    {NOTIFY_DESKTOP, "desktop"}, {NOTIFY_MOBILE, "mobile"}, {NOTIFY_EMAIL, "email"}, {0}};

const struct word notification_events[] = {{NOTIFY_REPLY, "reply_on_case"},
                                           {NOTIFY_AGENT, "case_assigned_to_agent"},
                                           {NOTIFY_TEAM, "case_assigned_to_team"},
                                           {NOTIFY_BREACH, "sla_breached"},
                                           {NOTIFY_MENTION, "mentioned_in_conversation"},
                                           {NOTIFY_WARNING, "sla_warning"},
                                           {NOTIFY_REFUSED, "scheduled_reply_refused"},
                                           {0}};

QUERY(preferences_of_users, "SELECT user_id, type, channel, is_enabled FROM notification_preferences "
                            "WHERE user_id IN @LIST(:users) ORDER BY user_id");
QUERY(preference_now, "SELECT is_enabled FROM notification_preferences "
                      "WHERE user_id = :user AND type = :type AND channel = :channel");
QUERY(preference_put, "INSERT INTO notification_preferences (user_id, type, channel, is_enabled) "
                      "VALUES (:user, :type, :channel, :enabled) "
                      "ON CONFLICT (user_id, type, channel) DO UPDATE "
                      "SET is_enabled = excluded.is_enabled");

bool notification_default(enum notification_type type, enum notification_channel channel) {
    return channel != NOTIFY_EMAIL || (type != NOTIFY_CREATED && type != NOTIFY_TEAM);
}

static void preferences_begin(struct notification_preferences *out) {
    for (int t = 1; t < NOTIFY_TYPES; t++)
        for (int c = 1; c < NOTIFY_CHANNELS; c++) out->is_enabled[t][c] = notification_default(t, c);
}

int notification_preferences_of(struct work *w, const int64_t *people, int count,
                                struct notification_preferences **out) {
    struct notification_preferences *all = *out = arena_array(w->arena, (size_t)count + 1, sizeof *all);
    int rc, i = 0;
    for (int p = 0; p < count; p++) preferences_begin(&all[p]);
    DB_ROWS(rc, w->conn, &preferences_of_users,
            BINDS(B_TEXT("users", json_ids(w->arena, people, (size_t)count))), row) {
        int64_t user = col_int(row, 0), t = col_int(row, 1), c = col_int(row, 2);
        while (people[i] < user) i++;
        if (t > 0 && t < NOTIFY_TYPES && c > 0 && c < NOTIFY_CHANNELS)
            all[i].is_enabled[t][c] = col_int(row, 3) != 0;
    }
    return rc;
}

int notification_preferences_read(struct work *w, int64_t user_id, struct notification_preferences *out) {
    struct notification_preferences *list;
    TRY(notification_preferences_of(w, &user_id, 1, &list));
    *out = *list;
    return 0;
}

bool notification_enabled(const struct notification_preferences *p, enum notification_type type,
                          enum notification_channel channel) {
    if (type == NOTIFY_WARNING) return channel == NOTIFY_DESKTOP && p->is_enabled[NOTIFY_BREACH][channel];
    if (type == NOTIFY_REFUSED) return channel == NOTIFY_DESKTOP;
    if (type == NOTIFY_CREATED && channel == NOTIFY_DESKTOP) return false;
    return p->is_enabled[type][channel];
}

int notification_prefer(struct work *w, enum notification_type type, enum notification_channel channel,
                        bool enabled) {
    int64_t user = w->actor.user_id, now = notification_default(type, channel);
    const struct bind *binds =
        BINDS(B_INT("user", user), B_INT("type", type), B_INT("channel", channel), B_INT("enabled", enabled));
    int rc = db_int(w->conn, &preference_now, binds, &now);
    if (rc < 0 || (now != 0) == enabled) return rc < 0 ? rc : 0;
    TRY(db_exec(w->conn, &preference_put, binds));
    const char *name = type == NOTIFY_SURVEY ? "survey" : word_of(notification_types, type);
    const char *property =
        str_fmt(w->arena, "notification_preferences.%s.%s", name, word_of(notification_channels, channel)).p;
    change_property(w, (struct changed){"user", user, 0}, property, changed_bool(!enabled),
                    changed_bool(enabled));
    return 0;
}

int notification_wanted(struct work *w, int64_t user_id, enum notification_type type,
                        enum notification_channel channel) {
    int64_t now = notification_default(type, channel);
    TRY(db_int(w->conn, &preference_now,
               BINDS(B_INT("user", user_id), B_INT("type", type), B_INT("channel", channel)), &now));
    return now != 0;
}

/* ---- unsubscribing --------------------------------------------------------------------------- */

QUERY(unsubscriber, "SELECT 1 FROM users WHERE id = :id AND deleted_at IS NULL");

/* "12-3-" and a MAC. */
struct str unsubscribe_token(const struct desk *d, struct arena *a, int64_t user_id,
                             enum notification_type type) {
    struct str signed_text = str_fmt(a, "unsubscribe %" PRId64 " %d", user_id, (int)type);
    return str_fmt(a, "%" PRId64 "-%d-%s", user_id, (int)type, mac_hex(a, &d->link_key, signed_text).p);
}

int unsubscribe_find(struct work *w, struct str token, int64_t *user_id, enum notification_type *type) {
    struct str rest = token, person = str_cut(&rest, '-'), number = str_cut(&rest, '-');
    int64_t kind, found;
    if (rest.p == NULL || !str_to_int(person, user_id) || !str_to_int(number, &kind)) return 0;
    if ((kind < 1 || kind >= NOTIFY_TYPES) && kind != NOTIFY_SURVEY) return 0;
    *type = (enum notification_type)kind;
    if (!secret_eq(token, unsubscribe_token(w->desk, w->arena, *user_id, *type))) return 0;
    return db_int(w->conn, &unsubscriber, BINDS(B_INT("id", *user_id)), &found);
}

int unsubscribe(struct work *w, struct str token) {
    enum notification_type type;
    int64_t user;
    int rc = unsubscribe_find(w, token, &user, &type);
    if (rc <= 0) return rc;
    w->actor.user_id = user;
    TRY(notification_prefer(w, type, NOTIFY_EMAIL, false));
    return 1;
}

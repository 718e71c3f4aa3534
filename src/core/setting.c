#include "core/setting.h"

#include "base/log.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

const struct setting setting_table[] = {
    {"cases.status_visible_to_customers", SETTING_BOOL, "1", 0, 0, "Customers see the status of a conversation."},
    {"cases.priority_visible_to_customers", SETTING_BOOL, "0", 0, 0, "Customers see the priority of a conversation."},
    {"cases.type_visible_to_customers", SETTING_BOOL, "0", 0, 0, "Customers see the type of a conversation."},
    {"cases.subject_customer_editable", SETTING_BOOL, "0", 0, 0, "Customers may change the subject of their conversations."},
    {"cases.priority_customer_editable", SETTING_BOOL, "0", 0, 0, "Customers may choose the priority of their conversations."},
    {"security.password_length_staff", SETTING_INT, "8", 5, 1024, "Shortest password of staff, in characters."},
    {"security.password_length_customers", SETTING_INT, "5", 5, 1024, "Shortest password of customers, in characters."},
    {"security.password_days_staff", SETTING_INT, "0", 0, 3650, "After how many days staff must change their password; 0: never."},
    {"security.password_days_customers", SETTING_INT, "0", 0, 3650, "After how many days customers must change their password; 0: never."},
    {"security.password_history", SETTING_INT, "0", 0, 24, "How many of the last passwords may not be chosen again; 0: all may."},
    {"security.session_hours_staff", SETTING_INT, "8", 1, 720, "Idle life of a session of staff, in hours."},
    {"security.session_hours_customers", SETTING_INT, "72", 1, 720, "Idle life of a session of customers, in hours."},
    {"security.cors_origins", SETTING_TEXT, "", 0, 0, "Origins that browsers may call from, separated by blanks; * for all."},
    {0}};
#define SETTINGS (sizeof setting_table / sizeof *setting_table - 1)

struct settings {
    pthread_rwlock_t lock;
    struct arena *arena; /* of the present values */
    struct str values[SETTINGS];
};

QUERY(settings_all, "SELECT name, value FROM settings");
QUERY(setting_put, "INSERT INTO settings (name, value, updated_at) VALUES (:name, :value, :now) "
                   "ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at");

static int place_of(struct str name) {
    for (int i = 0; setting_table[i].name; i++)
        if (str_eq(str_of(setting_table[i].name), name)) return i;
    return -1;
}

int settings_reload(struct settings *s, struct conn *c) {
    struct arena *arena = arena_new(), *old;
    struct str values[SETTINGS];
    int rc, place;
    for (size_t i = 0; i < SETTINGS; i++) values[i] = str_of(setting_table[i].initial);
    DB_ROWS(rc, c, &settings_all, NULL, row)
        if ((place = place_of(col_text(row, 0))) >= 0) values[place] = str_dup(arena, col_text(row, 1));
    if (rc < 0) {
        arena_free(arena);
        return rc;
    }
    pthread_rwlock_wrlock(&s->lock);
    old = s->arena;
    s->arena = arena;
    memcpy(s->values, values, sizeof values);
    pthread_rwlock_unlock(&s->lock);
    arena_free(old);
    return 0;
}

struct settings *settings_open(struct conn *c) {
    struct settings *s = calloc(1, sizeof *s);
    if (s == NULL || c == NULL) return free(s), NULL;
    pthread_rwlock_init(&s->lock, NULL);
    if (settings_reload(s, c) < 0) return settings_close(s), NULL;
    return s;
}

void settings_close(struct settings *s) {
    if (s == NULL) return;
    pthread_rwlock_destroy(&s->lock);
    arena_free(s->arena);
    free(s);
}

struct str setting_text(const struct desk *d, const char *name, struct arena *a) {
    int place = place_of(str_of(name));
    assert(place >= 0);
    pthread_rwlock_rdlock(&d->settings->lock);
    struct str copy = str_dup(a, d->settings->values[place]);
    pthread_rwlock_unlock(&d->settings->lock);
    return copy;
}

int64_t setting_int(const struct desk *d, const char *name) {
    int64_t v = 0;
    int place = place_of(str_of(name));
    assert(place >= 0);
    pthread_rwlock_rdlock(&d->settings->lock);
    bool number = str_to_int(d->settings->values[place], &v);
    pthread_rwlock_unlock(&d->settings->lock);
    assert(number);
    return v;
}

bool setting_bool(const struct desk *d, const char *name) { return setting_int(d, name) != 0; }

static bool value_fits(const struct setting *s, struct str value) {
    int64_t v;
    if (s->type == SETTING_TEXT) return value.n <= 4096;
    if (!str_to_int(value, &v)) return false;
    return s->type == SETTING_BOOL ? v == 0 || v == 1 : v >= s->min && v <= s->max;
}

static void reload(struct desk *d, void *arg) {
    struct conn *c = db_reader(d->db);
    (void)arg;
    if (c == NULL || settings_reload(d->settings, c) < 0) log_error("settings could not be read again; the former ones stay");
}

int setting_set(struct work *w, struct str name, struct str value) {
    int place = place_of(name);
    if (place < 0 || !value_fits(&setting_table[place], value)) return -ERR_FIELD_INVALID;
    after_commit(w, reload, NULL);
    return db_exec(w->conn, &setting_put, BINDS(B_TEXT("name", name), B_TEXT("value", value), B_INT("now", w->now)));
}

#include "core/setting.h"

#include "base/fold.h"
#include "base/log.h"
#include "core/hours.h"
#include "core/job.h"
#include "core/outbox.h"
#include "core/words.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

const struct setting setting_table[] = {
    {"cases.status_visible_to_customers", SETTING_BOOL, "1", 0, 0, .doc = "Customers see the status of a conversation."},
    {"cases.priority_visible_to_customers", SETTING_BOOL, "0", 0, 0, .doc = "Customers see the priority of a conversation."},
    {"cases.type_visible_to_customers", SETTING_BOOL, "0", 0, 0, .doc = "Customers see the type of a conversation."},
    {"cases.subject_customer_editable", SETTING_BOOL, "0", 0, 0, .doc = "Customers may change the subject of their conversations."},
    {"cases.priority_customer_editable", SETTING_BOOL, "0", 0, 0, .doc = "Customers may choose the priority of their conversations."},
    {"security.password_length_staff", SETTING_INT, "8", 5, 1024, .doc = "Shortest password of staff, in characters."},
    {"security.password_length_customers", SETTING_INT, "5", 5, 1024, .doc = "Shortest password of customers, in characters."},
    {"security.password_days_staff", SETTING_INT, "0", 0, 3650, .doc = "After how many days staff must change their password; 0: never."},
    {"security.password_days_customers", SETTING_INT, "0", 0, 3650, .doc = "After how many days customers must change their password; 0: never."},
    {"security.password_history", SETTING_INT, "0", 0, 24, .doc = "How many of the last passwords may not be chosen again; 0: all may."},
    {"security.session_hours_staff", SETTING_INT, "8", 1, 720, .doc = "Idle life of a session of staff, in hours."},
    {"security.session_hours_customers", SETTING_INT, "72", 1, 720, .doc = "Idle life of a session of customers, in hours."},
    {"security.password_reset_hours", SETTING_INT, "2", 1, 72, .doc = "Life of a link that resets a password, in hours."},
    {"security.cors_origins", SETTING_TEXT, "", 0, 0, .doc = "Origins that browsers may call from, separated by blanks; * for all."},
    {"desk.name", SETTING_TEXT, "Support", 0, 0, .doc = "What the desk calls itself, in mails and on pages."},
    {"desk.time_zone", SETTING_ZONE, "UTC", 0, 0, .doc = "Where days begin and end for rules and filters: a name of the tz database."},
    {"mail.smtp_host", SETTING_TEXT, "", 0, 0, .doc = "The relay that takes outgoing mail. Until it and mail.from_address are set, mails wait."},
    {"mail.smtp_port", SETTING_INT, "587", 1, 65535, .doc = "Its port."},
    {"mail.smtp_security", SETTING_WORD, "STARTTLS", 0, 0, .doc = "NONE, STARTTLS or TLS; with the latter two its certificate must be valid. NONE also sends the password as it is.",
     .words = smtp_securities},
    {"mail.smtp_user", SETTING_TEXT, "", 0, 0, .doc = "Who logs in there; empty: nobody."},
    {"mail.smtp_password", SETTING_SECRET, "", 0, 0, .doc = "The password for it. Never shown."},
    {"mail.smtp_ca", SETTING_TEXT, "", 0, 0, .doc = "Certificates (PEM) that vouch for the relay, in place of the system's."},
    {"mail.smtp_timeout_seconds", SETTING_INT, "60", 5, 240, .doc = "How long sending one mail may take."},
    {"mail.from_address", SETTING_EMAIL, "", 0, 0, .doc = "Whom mails are from."},
    {"mail.return_path", SETTING_EMAIL, "", 0, 0, .doc = "Where reports of mails that did not arrive go; empty: to mail.from_address."},
    {"mail.from_name", SETTING_TEXT, "", 0, 0, .doc = "The name beside it; empty: desk.name."},
    {"mail.notify_password_changes", SETTING_BOOL, "1", 0, 0, .doc = "Who gets a new password is told by mail."},
    {"files.max_megabytes", SETTING_INT, "20", 1, 1024, .doc = "The largest file that may be uploaded, in megabytes of 1,048,576 bytes."},
    {"desk.phone_region", SETTING_TEXT, "", 0, 0, .doc = "Country of phone numbers without country code, in two letters like DE; without, they are kept as digits.",
     .job = "index_names"},
    {0}};
#define READ_MS 10000
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

static struct str value_of(const struct desk *d, int place, struct arena *a) {
    pthread_rwlock_rdlock(&d->settings->lock);
    struct str copy = str_dup(a, d->settings->values[place]);
    pthread_rwlock_unlock(&d->settings->lock);
    return copy;
}

struct str setting_text(const struct desk *d, const char *name, struct arena *a) {
    int place = place_of(str_of(name));
    assert(place >= 0);
    return setting_table[place].type == SETTING_SECRET ? (struct str){0} : value_of(d, place, a);
}

struct str setting_secret(const struct desk *d, const char *name, struct arena *a) {
    int place = place_of(str_of(name));
    assert(place >= 0 && setting_table[place].type == SETTING_SECRET);
    struct str sealed = value_of(d, place, a);
    return sealed.n ? seal_text_open(a, &d->setting_key, sealed) : (struct str){0};
}

int setting_word(const struct desk *d, const char *name) {
    int place = place_of(str_of(name));
    assert(place >= 0 && setting_table[place].type == SETTING_WORD);
    pthread_rwlock_rdlock(&d->settings->lock);
    int id = word_id(setting_table[place].words, d->settings->values[place]);
    pthread_rwlock_unlock(&d->settings->lock);
    assert(id >= 0);
    return id;
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
    int64_t v = 0;
    switch (s->type) {
    case SETTING_TEXT:
    case SETTING_SECRET: return value.n <= 4096;
    case SETTING_EMAIL: return value.n == 0 || email_valid(value);
    case SETTING_ZONE: return time_zone_known(value);
    case SETTING_WORD: return word_id(s->words, value) >= 0;
    case SETTING_BOOL: return str_to_int(value, &v) && (v == 0 || v == 1);
    case SETTING_INT: return str_to_int(value, &v) && v >= s->min && v <= s->max;
    }
    return false;
}

static void reload(struct desk *d, void *arg) {
    (void)arg;
    settings_heard(d, (struct str){0});
}

void settings_heard(struct desk *d, struct str payload) {
    struct conn *c = db_reader(d->db);
    (void)payload;
    int rc = c ? db_read_begin(c, READ_MS) : -ERR_SERVICE_UNAVAILABLE;
    if (rc >= 0) rc = settings_reload(d->settings, c);
    if (c) db_read_end(c);
    if (rc < 0) log_error("settings could not be read again; the former ones stay");
}

int setting_set(struct work *w, struct str name, struct str value) {
    int64_t job;
    int place = place_of(name);
    if (place < 0 || !value_fits(&setting_table[place], value)) return -ERR_FIELD_INVALID;
    if (setting_table[place].type == SETTING_SECRET && value.n) value = seal_text(w->arena, &w->desk->setting_key, value);
    after_commit(w, reload, NULL);
    TRY(outbox_add(w, "settings", name));
    if (setting_table[place].job) TRY(job_add(w, setting_table[place].job, S("{}"), &job));
    return db_exec(w->conn, &setting_put, BINDS(B_TEXT("name", name), B_TEXT("value", value), B_INT("now", w->now)));
}

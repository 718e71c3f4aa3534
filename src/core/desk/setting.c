#include "core/change/change.h"
#include "core/desk/setting.h"

#include "base/fold.h"
#include "base/log.h"
#include "core/change/outbox.h"
#include "core/desk/locale.h"
#include "core/desk/setting_wrong.h"
#include "core/query/synonym.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define RELAY_PASSWORD "mail.smtp_password"
/* These settings decide which server gets the password of the relay. Only owners may change them. */
#define RELAY(type, initial) type, initial, .role = ROLE_OWNER, .forgets = RELAY_PASSWORD

const struct setting setting_table[] = {
    {1, "cases.status_visible_to_customers", SETTING_BOOL, "1", .everyone = true,
     .doc = "Customers see the status of a conversation."},
    {2, "cases.priority_visible_to_customers", SETTING_BOOL, "0", .everyone = true,
     .doc = "Customers see the priority of a conversation."},
    {3, "cases.type_visible_to_customers", SETTING_BOOL, "0", .everyone = true,
     .doc = "Customers see the type of a conversation."},
    {4, "cases.subject_customer_editable", SETTING_BOOL, "0", .everyone = true,
     .doc = "Customers may change the subject of their conversations."},
    {5, "cases.priority_customer_editable", SETTING_BOOL, "0", .everyone = true,
     .doc = "Customers may choose the priority of their conversations."},
    {6, "security.password_length_staff", SETTING_INT, "8", 5, 1024,
     .doc = "Minimum length of passwords of staff, in characters."},
    {7, "security.password_length_customers", SETTING_INT, "5", 5, 1024,
     .doc = "Minimum length of passwords of customers, in characters."},
    {8, "security.password_days_staff", SETTING_INT, "0", 0, 3650,
     .doc = "Number of days after which staff must change their password. 0: never."},
    {9, "security.password_days_customers", SETTING_INT, "0", 0, 3650,
     .doc = "Number of days after which customers must change their password. 0: never."},
    {10, "security.password_history", SETTING_INT, "0", 0, 24,
     .doc = "Number of previous passwords that a person may not choose again. 0: none."},
    {11, "security.session_hours_staff", SETTING_INT, "8", 1, 720,
     .doc = "A session of staff expires after this many idle hours."},
    {12, "security.session_hours_customers", SETTING_INT, "72", 1, 720,
     .doc = "A session of customers expires after this many idle hours."},
    {13, "security.password_reset_hours", SETTING_INT, "2", 1, 72,
     .doc = "A link that resets a password expires after this many hours."},
    {14, "security.cors_origins", SETTING_TEXT, "", 0, 0, .role = ROLE_OWNER, .wrong = cors_origins_wrong,
     .doc = "Origins of web pages that may call the API (CORS), separated by blanks. *: all."},
    {15, "desk.name", SETTING_TEXT, "Support", 0, 0, .doc = "Name of the desk in e-mails and on pages."},
    {16, "desk.time_zone", SETTING_ZONE, "UTC", 0, 0,
     .doc = "Time zone in which rules and filters count days, unless the brand of a conversation has its "
            "own: a name of the tz database."},
    {17, "mail.smtp_host", RELAY(SETTING_TEXT, ""),
     .doc = "Host name of the SMTP relay for outgoing e-mail. E-mails wait until this setting and "
            "mail.from_address are set."},
    {18, "mail.smtp_port", RELAY(SETTING_INT, "587"), .min = 1, .max = 65535, .doc = "Port of the relay."},
    {19, "mail.smtp_security", RELAY(SETTING_WORD, "STARTTLS"), .words = smtp_securities,
     .doc = "NONE, STARTTLS or TLS. With STARTTLS and TLS the certificate of the relay must be valid. With "
            "NONE the password is sent unencrypted."},
    {20, "mail.smtp_user", SETTING_TEXT, "", .role = ROLE_OWNER,
     .doc = "User name for the relay. Empty: no login."},
    {21, RELAY_PASSWORD, SETTING_SECRET, "", .role = ROLE_OWNER,
     .doc = "Password for the relay. It is never shown. A change of host, port, security or certificates "
            "deletes it, unless the same request sends it again."},
    {22, "mail.smtp_ca", RELAY(SETTING_LINES, ""),
     .doc = "Certificates (PEM) of the authorities that are trusted for the relay. Empty: those of the "
            "system."},
    {23, "mail.smtp_timeout_seconds", SETTING_INT, "60", 5, 240, .role = ROLE_OWNER,
     .doc = "Timeout for sending one e-mail, in seconds."},
    {24, "mail.from_address", SETTING_EMAIL, "", .role = ROLE_OWNER, .wrong = plus_wrong,
     .doc = "Sender address of e-mails, and address of the system mailbox. It has no plus sign, and no "
            "other mailbox has it."},
    {25, "mail.return_path", SETTING_EMAIL, "", .role = ROLE_OWNER, .wrong = plus_wrong,
     .doc = "Address for delivery reports of e-mails that did not arrive, without a plus sign. Empty: "
            "mail.from_address."},
    {26, "mail.from_name", SETTING_TEXT, "", 0, 0,
     .doc = "Sender name of e-mails. Empty: the name of the brand; without a conversation desk.name."},
    {27, "mail.notify_password_changes", SETTING_BOOL, "1", 0, 0,
     .doc = "Send an e-mail to a person whose password was changed."},
    {70, "mail.mails_kept_days", SETTING_INT, "90", 0, 3650,
     .doc = "The desk deletes suspended mails, and finished mails without a conversation, after so many "
            "days. 0: never."},
    {71, "mail.dns_server", SETTING_TEXT, "", .role = ROLE_OWNER, .wrong = dns_server_wrong,
     .doc = "Name server for checks of mailboxes, as an IPv4 address with or without a port. Empty: those "
            "of the system."},
    {41, "mail.attachments_megabytes", SETTING_INT, "10", 0, 50,
     .doc = "Total size of the files that an e-mail with a reply has as attachments, in megabytes. Files "
            "that do not fit are links, and so are all files if the relay refuses the size. 0: links only."},
    {60, "mail.imap_seconds", SETTING_INT, "60", 10, 3600,
     .doc = "Number of seconds between two readings of a mailbox by IMAP. If the server supports IDLE, a "
            "new mail is read at once."},
    {61, "mail.imap_ca", SETTING_LINES, "", .role = ROLE_OWNER,
     .doc =
         "Certificates (PEM) of the authorities that are trusted for IMAP servers and relays of mailboxes. "
         "Empty: those of the system."},
    {62, "mail.imap_allow_private_addresses", SETTING_BOOL, "0", .role = ROLE_OWNER,
     .doc = "True: IMAP servers may be on this machine or in a private network. False: such hosts are "
            "refused, because an IMAP account could otherwise examine the network of the desk."},
    {132, "mail.oauth_timeout_seconds", SETTING_INT, "10", 1, 30, .role = ROLE_OWNER,
     .doc = "Timeout of a request for an access token at the provider of a mailbox (OAuth 2), in seconds."},
    {42, "mail.authserv_id", SETTING_TEXT, "", .role = ROLE_OWNER, .wrong = authserv_id_wrong,
     .doc = "Name of your mail server in its Authentication-Results headers (authserv-id, RFC 8601). The "
            "desk trusts only the topmost header with this name. Empty: it trusts none, so mails of staff "
            "are suspended."},
    {43, "mail.require_registered", SETTING_BOOL, "0", 0, 0,
     .doc = "True: mails of senders without an account are suspended."},
    {44, "mail.require_verified", SETTING_BOOL, "0", 0, 0,
     .doc = "True: mails are suspended if the address of the sender is not verified."},
    {45, "mail.spam_score", SETTING_INT, "10", 0, 1000,
     .doc = "Mails with a higher spam score in X-Spam-Score or X-Spam-Status are suspended. 0: the score is "
            "ignored."},
    {46, "mail.blocklist", SETTING_LINES, "", .wrong = blocklist_wrong,
     .doc = "Mails of these senders are suspended. A line is an address, a domain, or *. and a domain, "
            "which stands for all domains below it."},
    {73, "mail.plus_addresses", SETTING_BOOL, "1", .role = ROLE_OWNER,
     .doc = "True: answers and delivery reports come to addresses with a token behind a plus sign, like "
            "support+c12-...@example.com. Your mail server must deliver such addresses to the desk. False: "
            "only Message-IDs and subjects have tokens."},
    {74, "mail.subject_tokens", SETTING_BOOL, "0", .role = ROLE_OWNER,
     .doc = "True: the subject of an e-mail about a conversation ends with a token, like [s12-...]. It "
            "helps if mail.plus_addresses is off and mail programs of customers leave out References."},
    {75, "mail.undo_seconds", SETTING_INT, "0", 0, 300,
     .doc = "Number of seconds that an e-mail with a reply waits, so that the author can undo it (DELETE "
            "/cases/:id/reply/:post_id)."},
    {28, "files.max_megabytes", SETTING_INT, "20", 1, 1024,
     .doc = "Maximum size of an uploaded file, in megabytes of 1,048,576 bytes."},
    {95, "audit.keep_days", SETTING_INT, "730", 0, 36500, .role = ROLE_OWNER,
     .doc = "Number of days that the audit log keeps an entry, and up to one more. 0: for ever."},
    {34, "changes.kept_days", SETTING_INT, "30", 1, 3650,
     .doc = "Number of days that the change log keeps an entry."},
    {110, "notifications.kept_days", SETTING_INT, "90", 1, 3650,
     .doc = "Number of days that the notifications of a person of staff are kept. The newest 500 are kept at "
            "most."},
    {111, "slas.warning_minutes", SETTING_INT, "30", 0, 10080,
     .doc = "Staff are notified that an SLA target is about to be missed so many minutes before it is. 0: "
            "they are not."},
    {33, "files.unattached_megabytes", SETTING_INT, "200", 1, 102400,
     .doc = "Maximum total size of one person's uploaded files that no object refers to yet, in megabytes."},
    {29, "desk.phone_region", SETTING_TEXT, "", 0, 0,
     .doc = "Country of phone numbers without a country code, in two letters like DE. Empty: such numbers "
            "are stored as digits.",
     .job = JOB_INDEX_NAMES},
    {30, LOCALE_SETTING, SETTING_LOCALE, DEFAULT_LOCALE, .everyone = true, .job = JOB_INDEX_SEARCH,
     .doc = "Locale of a text that is sent without a locale. Its language is that of the search index."},
    {31, "account.timezone", SETTING_ZONE, "", .everyone = true, .same_as = "desk.time_zone",
     .doc = "Another name of desk.time_zone."},
    {32, "account.time_format", SETTING_WORD, "24hour", .everyone = true, .words = time_formats,
     .doc = "Format in which clients show a time of day."},
    {36, "endpoints.allow_private_addresses", SETTING_BOOL, "0", .role = ROLE_OWNER,
     .doc = "Endpoints may be on this machine and in private networks. Otherwise loopback, link-local and "
            "private addresses are refused, so that admins of the desk can't reach internal servers."},
    {39, "helpcenter.comments_a_minute", SETTING_INT, "10", 0, 1000,
     .doc = "Maximum number of comments on articles that one person posts in a minute. 0: no limit."},
    {40, "helpcenter.searches_kept_days", SETTING_INT, "400", 1, 3650,
     .doc = "Number of days that the counts of searches in the help center are kept."},
    {37, "endpoints.timeout_seconds", SETTING_INT, "10", 1, 60,
     .doc = "Timeout for one attempt to send to an endpoint, in seconds."},
    {38, SYNONYMS_SETTING, SETTING_LINES, "", .wrong = synonyms_wrong,
     .doc = "Synonyms for searches of the help center: a group in each line, its expressions separated by "
            "commas, as in login, sign in, log on. A search for one of them finds all. At most 200 groups "
            "of at most ten expressions of at most four words."},
    {100, "limits.read_per_minute", SETTING_INT, "0", 0, 600000,
     .doc = "Maximum number of reads of one caller in a minute. 0: no limit."},
    {101, "limits.write_per_minute", SETTING_INT, "0", 0, 600000,
     .doc = "Maximum number of writes of one caller in a minute. 0: no limit."},
    {102, "limits.heavy_per_minute", SETTING_INT, "0", 0, 600000,
     .doc = "Maximum number of searches, reports, counts of views, downloads of ZIP files and bulk calls of "
            "one caller in a minute. 0: they count as reads and writes."},
    {106, "limits.pages_per_minute", SETTING_INT, "0", 0, 600000,
     .doc = "Maximum number of pages of the help center, of links in mails and of the OAuth login that one "
            "visitor opens in a minute. 0: no limit."},
    {103, "security.cors_max_age_seconds", SETTING_INT, "600", 0, 86400,
     .doc = "Number of seconds for which a browser keeps the answer to a preflight request (CORS)."},
    {104, "security.frame_ancestors", SETTING_TEXT, "", .role = ROLE_OWNER, .wrong = frame_ancestors_wrong,
     .doc = "Origins of web pages that may show pages of the help center in a frame, separated by blanks. "
            "Empty: none. Pages of logins and links are never shown in a frame."},
    {105, "security.hsts_seconds", SETTING_INT, "0", 0, 63072000, .role = ROLE_OWNER,
     .doc = "Number of seconds for which browsers reach this host only by HTTPS "
            "(Strict-Transport-Security), if base-url begins with https. 0: the header is not sent."},
    {130, "security.staff_passwords", SETTING_BOOL, "1", .role = ROLE_OWNER,
     .doc = "Staff may log in by password. False: only by a provider (OpenID Connect) or a passkey; owners "
            "keep their passwords, so that nobody is locked out. API tokens work as before."},
    {131, "signin.allow_private_addresses", SETTING_BOOL, "0", .role = ROLE_OWNER,
     .doc = "Providers of logins may be hosts of this machine or of a private network, and may use http."},
    {0}};
#define READ_MS 10000
#define SETTINGS (sizeof setting_table / sizeof *setting_table - 1)

struct settings {
    pthread_mutex_t reload; /* around a whole reload, so that an older one never replaces a newer one */
    pthread_rwlock_t lock;
    struct arena *arena; /* holds the current values */
    struct str values[SETTINGS];
    unsigned relays; /* enum mailbox_relay */
};

QUERY(settings_all, "SELECT name, value FROM settings");
QUERY(mailboxes_with_relay, "SELECT is_system FROM mailboxes "
                            "WHERE smtp_host IS NOT NULL AND deleted_at IS NULL AND is_enabled = 1");
QUERY(setting_put, "INSERT INTO settings (name, value, updated_at) "
                   "VALUES (:name, :value, :now) ON CONFLICT (name) DO UPDATE "
                   "SET value = excluded.value, updated_at = excluded.updated_at");

/* The index of the setting that stores the value (for an alias, the aliased one), or -1. */
static int setting_place(struct str name) {
    for (int i = 0; name.n && setting_table[i].name; i++)
        if (setting_table[i].name[0] == *name.p && str_eq(str_of(setting_table[i].name), name))
            return setting_table[i].same_as ? setting_place(str_of(setting_table[i].same_as)) : i;
    return -1;
}

bool setting_known(struct str name) { return setting_place(name) >= 0; }

bool setting_is_bool(const char *name) {
    int place = setting_place(str_of(name));
    return place >= 0 && setting_table[place].type == SETTING_BOOL;
}

bool setting_fits(struct arena *a, struct str name, struct str value) {
    int place = setting_place(name);
    return place >= 0 && setting_accepts(a, &setting_table[place], value);
}

/* values: parallel to the table, in the arena. */
static int load_values(struct conn *c, struct arena *a, struct str *values) {
    int rc, place;
    for (size_t i = 0; i < SETTINGS; i++) values[i] = str_of(setting_table[i].initial);
    DB_ROWS(rc, c, &settings_all, NULL, row)
    if ((place = setting_place(col_text(row, 0))) >= 0) values[place] = str_dup(a, col_text(row, 1));
    return rc;
}

static int load_relays(struct conn *c, unsigned *relays) {
    int rc;
    *relays = 0;
    DB_ROWS(rc, c, &mailboxes_with_relay, NULL, row)
    *relays |= col_int(row, 0) ? RELAY_OF_SYSTEM_MAILBOX : RELAY_OF_OTHERS;
    return rc;
}

int settings_reload(struct settings *s, struct conn *c) {
    struct arena *arena = arena_new(), *old;
    struct str values[SETTINGS];
    unsigned relays;
    int rc = load_values(c, arena, values);
    if (rc >= 0) rc = load_relays(c, &relays);
    if (rc < 0) {
        arena_free(arena);
        return rc;
    }
    pthread_rwlock_wrlock(&s->lock);
    old = s->arena;
    s->arena = arena;
    memcpy(s->values, values, sizeof values);
    s->relays = relays;
    pthread_rwlock_unlock(&s->lock);
    arena_free(old);
    return 0;
}

struct settings *settings_open(struct conn *c) {
    struct settings *s = calloc(1, sizeof *s);
    if (s == NULL || c == NULL) return free(s), NULL;
    pthread_rwlock_init(&s->lock, NULL);
    pthread_mutex_init(&s->reload, NULL);
    if (settings_reload(s, c) < 0) return settings_close(s), NULL;
    return s;
}

void settings_close(struct settings *s) {
    if (s == NULL) return;
    pthread_mutex_destroy(&s->reload);
    pthread_rwlock_destroy(&s->lock);
    arena_free(s->arena);
    free(s);
}

static struct str setting_value_of(const struct desk *d, int place, struct arena *a) {
    pthread_rwlock_rdlock(&d->settings->lock);
    struct str copy = str_dup(a, d->settings->values[place]);
    pthread_rwlock_unlock(&d->settings->lock);
    return copy;
}

struct str setting_text(const struct desk *d, const char *name, struct arena *a) {
    int place = setting_place(str_of(name));
    assert(place >= 0);
    return setting_table[place].type == SETTING_SECRET ? (struct str){0} : setting_value_of(d, place, a);
}

struct str setting_secret(const struct desk *d, const char *name, struct arena *a) {
    int place = setting_place(str_of(name));
    assert(place >= 0 && setting_table[place].type == SETTING_SECRET);
    struct str sealed = setting_value_of(d, place, a);
    return sealed.n ? seal_text_open(a, &d->setting_key, sealed) : (struct str){0};
}

int setting_word(const struct desk *d, const char *name) {
    int place = setting_place(str_of(name));
    assert(place >= 0 && setting_table[place].type == SETTING_WORD);
    pthread_rwlock_rdlock(&d->settings->lock);
    int id = word_id(setting_table[place].words, d->settings->values[place]);
    pthread_rwlock_unlock(&d->settings->lock);
    assert(id >= 0);
    return id;
}

int64_t setting_int(const struct desk *d, const char *name) {
    int64_t v = 0;
    int place = setting_place(str_of(name));
    assert(place >= 0);
    pthread_rwlock_rdlock(&d->settings->lock);
    bool number = str_to_int(d->settings->values[place], &v);
    pthread_rwlock_unlock(&d->settings->lock);
    assert(number);
    return v;
}

bool setting_bool(const struct desk *d, const char *name) { return setting_int(d, name) != 0; }

unsigned mailbox_relays(const struct desk *d) {
    pthread_rwlock_rdlock(&d->settings->lock);
    unsigned relays = d->settings->relays;
    pthread_rwlock_unlock(&d->settings->lock);
    return relays;
}

QUERY(setting_value_held, "SELECT value FROM settings WHERE name = :name @HOLD@");

int setting_stored(struct work *w, const char *name, struct str *value) {
    int place = setting_place(str_of(name));
    assert(place >= 0 && setting_table[place].type != SETTING_SECRET);
    int rc = db_text(w->conn, &setting_value_held, BINDS(B_TEXT("name", str_of(name))), w->arena, value);
    if (rc == 0) *value = str_of(setting_table[place].initial);
    return rc < 0 ? rc : 0;
}

static void settings_reload_after(struct desk *d, void *arg) {
    (void)arg;
    settings_notified(d, (struct str){0});
}

void settings_notified(struct desk *d, struct str payload) {
    struct conn *c = db_reader(d->db);
    (void)payload;
    pthread_mutex_lock(&d->settings->reload);
    int rc = c ? db_read_begin(c, READ_MS) : -ERR_SERVICE_UNAVAILABLE;
    if (rc >= 0) rc = settings_reload(d->settings, c);
    if (c) db_read_end(c);
    pthread_mutex_unlock(&d->settings->reload);
    if (rc < 0) log_error("settings could not be reloaded; the previous values stay in use");
}
TOPIC_CODE(SETTINGS) = settings_notified;

int mailbox_relays_changed(struct work *w) {
    if (w->desk->settings) after_commit(w, settings_reload_after, NULL);
    return outbox_add(w, TOPIC_SETTINGS, S("relays of mailboxes"));
}

/* ---- writing --------------------------------------------------------------------------------- */

static void setting_refuse(struct work *w, enum error code, struct str name, const char *why) {
    fail_at(w, code, S("values"), str_fmt(w->arena, "values/%.*s", (int)name.n, name.p), "%s", why);
}

static int check_roles(struct work *w, const struct setting_value *values, int count) {
    for (int i = 0; i < count; i++) {
        int place = setting_place(values[i].name);
        if (place < 0 || w->actor.rank >= (int)setting_table[place].role) continue;
        setting_refuse(w, ERR_PERMISSIONS_DENIED, values[i].name,
                       str_fmt(w->arena, "Only owners may change `%s`.", setting_table[place].name).p);
    }
    return failed(w) ? -(int)failure(w) : 0;
}

/* wanted: the new value of each setting, parallel to the table; p NULL: no change. */
static int settings_read_wanted(struct work *w, const struct setting_value *values, int count,
                                struct str *wanted) {
    for (int i = 0; i < count; i++) {
        int place = setting_place(values[i].name);
        struct str name = values[i].name, text = values[i].value;
        if (name.n > LIMIT_TITLE) name = S("...");
        struct str value = {0};
        const char *why = place < 0 ? str_fmt(w->arena, "Unknown setting `%.*s`.", (int)name.n, name.p).p
                          : text.p == NULL
                              ? str_fmt(w->arena, "`%s` must be a single value.", setting_table[place].name).p
                              : setting_read_value(w, &setting_table[place], text, &value);
        if (why) setting_refuse(w, ERR_FIELD_INVALID, name, why);
        else if (wanted[place].p && !str_eq(wanted[place], value))
            setting_refuse(w, ERR_PARAMETERS_INCONSISTENT, name,
                           "The setting is given twice, with different values.");
        else wanted[place] = value;
    }
    return failed(w) ? -(int)failure(w) : 0;
}

/* Deletes secrets that depend on a changed value. */
static void forget_secrets(struct work *w, const struct str *now, struct str *wanted) {
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *s = &setting_table[i];
        if (s->forgets == NULL || wanted[i].p == NULL || str_eq(wanted[i], now[i])) continue;
        int secret = setting_place(str_of(s->forgets));
        if (wanted[secret].p || now[secret].n == 0) continue;
        wanted[secret] = S("");
        notice(w, "NOTICE", "%s was deleted, because %s changed. Send it in the same request to keep it.",
               s->forgets, s->name);
    }
}

static int put_value(struct work *w, const struct setting *s, struct str value) {
    int64_t job;
    if (s->type == SETTING_SECRET && value.n) value = seal_text(w->arena, &w->desk->setting_key, value);
    TRY(outbox_add(w, TOPIC_SETTINGS, str_of(s->name)));
    if (s->job) TRY(job_add(w, s->job, S("{}"), &job));
    return db_exec(w->conn, &setting_put,
                   BINDS(B_TEXT("name", str_of(s->name)), B_TEXT("value", value), B_INT("now", w->now)));
}

static void record_setting(struct work *w, const struct setting *s, struct str now, struct str wanted) {
    struct changed object = {"setting", s->id, 0};
    if (s->type == SETTING_SECRET) change_named(w, object, s->name);
    else change_property(w, object, s->name, changed_text(now), changed_text(wanted));
}

int settings_put(struct work *w, const struct setting_value *values, int count) {
    struct str now[SETTINGS], wanted[SETTINGS] = {0};
    TRY(check_roles(w, values, count));
    TRY(settings_read_wanted(w, values, count, wanted));
    /* a concurrent write must not combine its host with the current password */
    TRY(db_lock(w->conn, S("settings")));
    TRY(load_values(w->conn, w->arena, now));
    forget_secrets(w, now, wanted);
    after_commit(w, settings_reload_after, NULL);
    for (size_t i = 0; i < SETTINGS; i++)
        if (wanted[i].p) {
            record_setting(w, &setting_table[i], now[i], wanted[i]);
            TRY(put_value(w, &setting_table[i], wanted[i]));
        }
    return 0;
}

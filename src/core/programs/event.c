/* People of a whole request are looked up by one query for each kind of identity, whatever the number of
 * events. `known` has each identity of the request once, so an event finds the person that an earlier
 * event of its request created.
 *
 * Concurrent writes (PostgreSQL) that both miss an identity lock it before they look again, so only the
 * first creates its person. The lock of an e-mail address is its own. That of another identity is on one
 * of LOCKS parts of all of them, so that a request takes few. Locks are taken in order, so requests do not
 * wait for each other in a circle. */
#include "core/programs/event.h"

#include "core/people/contact.h"
#include "core/people/identity.h"
#include "core/people/authority.h"
#include "core/people/user.h"
#include "core/programs/event_token.h"
#include "json/json.h"

#include <stdlib.h>
#include <xxhash.h>

#define LOCKS 64
#define TWITTER_ID 64 /* characters */

struct known {
    enum event_identity kind; /* 0: a free place */
    struct str key;
    int64_t user_id, identity_id; /* 0: nobody has it */
    bool asked;
};

struct crowd {
    struct work *work;
    const struct event_new *list;
    int count;
    struct known *places; /* hash table */
    size_t mask;
    struct known *(*of)[EVENT_IDENTITIES]; /* the identities of each event; NULL: not given */
};

/* ---- identities ------------------------------------------------------------------------------ */

static bool is_twitter_id(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'))
            return false;
    }
    return s.n > 0 && s.n <= TWITTER_ID;
}

/* p NULL: invalid */
static struct str identity_event_key(struct work *w, enum event_identity kind, const struct event_person *p) {
    struct str text = p->identities[kind];
    switch (kind) {
    case EVENT_EMAIL: return identity_key(w, IDENTITY_EMAIL, text);
    case EVENT_PHONE: return identity_key(w, IDENTITY_PHONE, text);
    case EVENT_TWITTER: return is_twitter_id(text) ? text : (struct str){0};
    case EVENT_EXTERNAL: return json_texts(w->arena, (const struct str[]){p->external_app, text}, 2);
    default: return identity_key(w, IDENTITY_FACEBOOK, text);
    }
}

bool event_identity_valid(struct work *w, enum event_identity kind, struct str text) {
    struct event_person p = {.external_app = S("")};
    p.identities[kind] = text;
    return identity_event_key(w, kind, &p).p != NULL;
}

/* The place of an identity in the table: its own, or the free one that it takes. */
static struct known *place_of(const struct crowd *c, enum event_identity kind, struct str key) {
    size_t at = XXH3_64bits_withSeed(key.p, key.n, kind) & c->mask;
    while (c->places[at].kind && !(c->places[at].kind == kind && str_eq(c->places[at].key, key)))
        at = (at + 1) & c->mask;
    return &c->places[at];
}

static void crowd_gather(struct crowd *c) {
    struct arena *a = c->work->arena;
    size_t room = 16;
    while (room < (size_t)c->count * EVENT_IDENTITIES * 2) room *= 2;
    c->mask = room - 1;
    c->places = arena_array(a, room, sizeof *c->places);
    c->of = arena_array(a, (size_t)c->count, sizeof *c->of);
    for (int i = 0; i < c->count; i++)
        for (enum event_identity kind = EVENT_EMAIL; kind < EVENT_IDENTITIES; kind++) {
            if (c->list[i].person.identities[kind].p == NULL) continue;
            struct str key = identity_event_key(c->work, kind, &c->list[i].person);
            struct known *k = c->of[i][kind] = place_of(c, kind, key);
            k->kind = kind;
            k->key = key;
        }
}

/* ---- their owners ---------------------------------------------------------------------------- */

/* @HOLD@: nobody deletes the person before the event refers to the person. */
#define OWNERS(table, key)                                                                             \
    "SELECT i.id, i.user_id, i." key " FROM " table " i JOIN users u ON u.id = i.user_id WHERE i." key \
    " IN @TEXTS(:keys) AND i.is_claim = 0 AND u.deleted_at IS NULL "                                   \
    "ORDER BY i.user_id, i.id @HOLD@"
QUERY(event_emails, OWNERS("identity_emails", "email_key"));
QUERY(event_phones, OWNERS("identity_phones", "number_key"));
QUERY(event_twitter, OWNERS("identity_twitter", "twitter_id"));
QUERY(event_facebook, OWNERS("identity_facebook", "facebook_id"));
QUERY(event_externals,
      "SELECT x.id, x.user_id, x.external_app, x.external_id "
      "FROM @ROWS(:keys) r "
      "JOIN external_identifiers x ON x.external_app = r.value ->> 0 AND x.external_id = r.value ->> 1 "
      "JOIN users u ON u.id = x.user_id WHERE u.deleted_at IS NULL "
      "ORDER BY x.user_id, x.id @HOLD@");

static const struct query *const owners[EVENT_IDENTITIES] = {[EVENT_EMAIL] = &event_emails,
                                                             [EVENT_PHONE] = &event_phones,
                                                             [EVENT_TWITTER] = &event_twitter,
                                                             [EVENT_FACEBOOK] = &event_facebook,
                                                             [EVENT_EXTERNAL] = &event_externals};

/* The identities of this kind without a known owner, as :keys. Returns their number. */
static size_t keys_unowned(const struct crowd *c, enum event_identity kind, int from, int to,
                           struct str *out) {
    struct buf b = {0};
    struct json_writer w;
    size_t n = 0;
    jw_init(&w, &b);
    jw_array(&w);
    for (int i = from; i < to; i++) {
        struct known *k = c->of[i][kind];
        if (k == NULL || k->user_id || k->asked) continue;
        k->asked = true;
        n++;
        if (kind == EVENT_EXTERNAL) jw_raw(&w, k->key);
        else jw_str(&w, k->key);
    }
    jw_end(&w);
    *out = buf_take(&b, c->work->arena);
    for (int i = from; i < to; i++)
        if (c->of[i][kind]) c->of[i][kind]->asked = false;
    return n;
}

/* Looks up the owners of the identities of some events. */
static int owners_find(struct crowd *c, int from, int to) {
    struct work *w = c->work;
    struct str keys;
    int rc = 0;
    for (enum event_identity kind = EVENT_EMAIL; kind < EVENT_IDENTITIES && rc >= 0; kind++) {
        if (keys_unowned(c, kind, from, to, &keys) == 0) continue;
        DB_ROWS(rc, w->conn, owners[kind], BINDS(B_TEXT("keys", keys)), row) {
            struct str key = col_text(row, 2);
            if (kind == EVENT_EXTERNAL)
                key = json_texts(w->arena, (const struct str[]){key, col_text(row, 3)}, 2);
            struct known *k = place_of(c, kind, key);
            if (k->kind) k->identity_id = col_int(row, 0), k->user_id = col_int(row, 1);
        }
    }
    return rc < 0 ? rc : 0;
}

/* The first identity with an owner; NULL: none. */
static const struct known *event_owner(const struct crowd *c, int at) {
    for (enum event_identity kind = EVENT_EMAIL; kind < EVENT_IDENTITIES; kind++)
        if (c->of[at][kind] && c->of[at][kind]->user_id) return c->of[at][kind];
    return NULL;
}

/* ---- new people ------------------------------------------------------------------------------ */

static int compare_addresses(const void *x, const void *y) {
    const struct str *a = x, *b = y;
    int order = memcmp(a->p, b->p, a->n < b->n ? a->n : b->n);
    return order ? order : (a->n > b->n) - (a->n < b->n);
}

/* The lock of an address is that of customer_of_address, because mails and forms create people, too. */
static int addresses_lock(struct crowd *c) {
    struct str *keys = arena_array(c->work->arena, (size_t)c->count, sizeof *keys);
    size_t n = 0;
    for (int i = 0; i < c->count; i++)
        if (c->of[i][EVENT_EMAIL] && event_owner(c, i) == NULL) keys[n++] = c->of[i][EVENT_EMAIL]->key;
    qsort(keys, n, sizeof *keys, compare_addresses);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || !str_eq(keys[i], keys[i - 1])) TRY(customer_lock(c->work, keys[i]));
    return 0;
}

static int locks_take(struct crowd *c) {
    bool wanted[LOCKS] = {false};
    TRY(addresses_lock(c));
    for (int i = 0; i < c->count; i++)
        for (enum event_identity kind = EVENT_PHONE; kind < EVENT_IDENTITIES && event_owner(c, i) == NULL;
             kind++)
            if (c->of[i][kind])
                wanted[XXH3_64bits_withSeed(c->of[i][kind]->key.p, c->of[i][kind]->key.n, kind) % LOCKS] =
                    true;
    for (int i = 0; i < LOCKS; i++)
        if (wanted[i]) TRY(db_lock(c->work->conn, str_fmt(c->work->arena, "people of events %d", i)));
    return 0;
}

static struct str person_name_of(const struct event_person *p) {
    struct str name = p->full_name;
    for (enum event_identity kind = EVENT_EMAIL; kind < EVENT_IDENTITIES && name.p == NULL; kind++)
        name = p->identities[kind];
    return name;
}

static int person_add(struct work *w, const struct event_person *p) {
    const struct user_new n = {.full_name = person_name_of(p),
                               .email = p->identities[EVENT_EMAIL],
                               .phone = p->identities[EVENT_PHONE],
                               .role_id = ROLE_OF_CUSTOMERS};
    int64_t user, id;
    TRY(user_create(w, &n, false, &user));
    const struct identity_new facebook = {.user_id = user, .value = p->identities[EVENT_FACEBOOK]};
    if (facebook.value.p) TRY(identity_add(w, IDENTITY_FACEBOOK, &facebook, &id));
    if (p->identities[EVENT_TWITTER].p) TRY(identity_add_twitter_id(w, user, p->identities[EVENT_TWITTER]));
    if (p->identities[EVENT_EXTERNAL].p == NULL) return 0;
    return identifier_add(w, user, p->external_app, p->identities[EVENT_EXTERNAL]);
}

/* Finds the person of each event, and creates those who are missing. */
static int people_find(struct crowd *c) {
    bool all = true;
    crowd_gather(c);
    TRY(owners_find(c, 0, c->count));
    for (int i = 0; i < c->count; i++) all = all && event_owner(c, i);
    if (all) return 0;
    TRY(locks_take(c));
    if (db_blocks(c->work->desk->db)) TRY(owners_find(c, 0, c->count));
    for (int i = 0; i < c->count; i++) {
        if (event_owner(c, i)) continue;
        TRY(person_add(c->work, &c->list[i].person));
        TRY(owners_find(c, i, i + 1));
        if (event_owner(c, i) == NULL) return -ERR_INTERNAL_ERROR;
    }
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

QUERY(events_insert, "INSERT INTO events (uuid, event, user_id, properties, triggered_at, created_at, "
                     "token_id, identity_kind, identity_id) "
                     "SELECT r.value ->> 0, r.value ->> 1, CAST(r.value ->> 2 AS BIGINT), r.value ->> 3, "
                     "CAST(r.value ->> 4 AS BIGINT), CAST(:now AS BIGINT), CAST(:token AS BIGINT), "
                     "CAST(r.value ->> 5 AS INTEGER), CAST(r.value ->> 6 AS BIGINT) "
                     "FROM @ROWS(:rows) r WHERE 1 = 1 RETURNING id");

static void event_write(struct json_writer *j, struct arena *a, const struct event_new *e,
                        const struct known *of) {
    jw_array(j);
    jw_str(j, random_uuid(a));
    jw_str(j, e->event);
    jw_int(j, of->user_id);
    jw_str(j, e->properties);
    jw_int(j, e->triggered_at);
    jw_int(j, of->kind);
    jw_int(j, of->identity_id);
    jw_end(j);
}

static int events_insert_all(struct crowd *c, int64_t token_id, int64_t *first_id) {
    struct work *w = c->work;
    struct buf b = {0};
    struct json_writer j;
    int rc, n = 0;
    jw_init(&j, &b);
    jw_array(&j);
    for (int i = 0; i < c->count; i++) event_write(&j, w->arena, &c->list[i], event_owner(c, i));
    jw_end(&j);
    DB_ROWS(rc, w->conn, &events_insert,
            BINDS(B_TEXT("rows", buf_view(&b)), B_INT("token", token_id), B_INT("now", w->now)), row)
    if (n++ == 0) *first_id = col_int(row, 0);
    buf_free(&b);
    return rc < 0 ? rc : 0;
}

int events_add(struct work *w, int64_t token_id, const struct event_new *list, int count, int64_t *first_id) {
    struct crowd c = {.work = w, .list = list, .count = count};
    TRY(people_find(&c));
    TRY(events_insert_all(&c, token_id, first_id));
    return event_token_used(w, token_id);
}

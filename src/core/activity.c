#include "core/activity.h"

#include "base/buf.h"
#include "json/json.h"

#include <assert.h>

/* ---- how things stand --------------------------------------------------------------------------------------------
 *
 * As pairs of a field and a text: one of a member that has a value, several of a list. What references lead to is told
 * by its name of that day. Nothing of a claim: an address that nobody has proven is not the person's. */

struct member {
    const char *name;
    const struct word *words; /* of a number; NULL: a text */
};

static const struct word truth[] = {
    {0,       "false"},
    {1,       "true"},
    {0}
};
static const struct word unseen[] = {{0}}; /* a moment that moves when a secret does: told by name alone */

#define USER_MEMBERS(X)                                                                                                \
    X("full_name", "t.full_name", NULL)                                                                                \
    X("legacy_id", "t.legacy_id", NULL)                                                                                \
    X("designation", "t.designation", NULL)                                                                            \
    X("is_enabled", "t.is_enabled", truth)                                                                             \
    X("is_mfa_enabled", "t.is_mfa_enabled", truth)                                                                     \
    X("password", "t.password_updated_at", unseen)                                                                     \
    X("avatar", "t.avatar_updated_at", unseen)                                                                         \
    X("role", "(SELECT r.title FROM roles r WHERE r.id = t.role_id)", NULL)                                            \
    X("agent_case_access", "t.agent_case_access", case_accesses)                                                       \
    X("organization_case_access", "t.organization_case_access", organization_accesses)                                 \
    X("organization", "(SELECT o.name FROM organizations o WHERE o.id = t.organization_id)", NULL)                     \
    X("locale", "(SELECT l.locale FROM locales l WHERE l.id = t.locale_id)", NULL)                                     \
    X("time_zone", "t.time_zone", NULL)                                                                                \
    X("greeting", "t.greeting", NULL)                                                                                  \
    X("signature", "t.signature", NULL)                                                                                \
    X("status_message", "t.status_message", NULL)
#define COLUMN_OF(name, sql, words) ", " sql
#define MEMBER_OF(name, sql, words) {name, words},
static const struct member user_members[] = {USER_MEMBERS(MEMBER_OF){0}};
QUERY(activity_user, "SELECT 1" USER_MEMBERS(COLUMN_OF) " FROM users t WHERE t.id = :id");

#define IDENTITIES(field, value, table)                                                                                \
    "SELECT '" field "', i." value " || CASE WHEN i.is_primary = 1 THEN ' (primary)' ELSE '' END || "                  \
    "CASE WHEN i.is_validated = 1 THEN '' ELSE ' (not validated)' END FROM " table                                     \
    " i WHERE i.user_id = :id AND i.is_claim = 0 "
QUERY(activity_user_lists,
      IDENTITIES("emails", "email", "identity_emails")
      "UNION ALL " IDENTITIES("phones", "number", "identity_phones")
      "UNION ALL " IDENTITIES("twitter", "screen_name", "identity_twitter")
      "UNION ALL " IDENTITIES("facebook", "facebook_id", "identity_facebook")
      "UNION ALL SELECT 'teams', t.title FROM team_members m JOIN teams t ON t.id = m.team_id WHERE m.user_id = :id "
      "UNION ALL SELECT 'tags', t.name FROM user_tags m JOIN tags t ON t.id = m.tag_id WHERE m.user_id = :id "
      "UNION ALL SELECT 'external_identifiers', e.external_app || ': ' || e.external_id FROM external_identifiers e "
      "WHERE e.user_id = :id "
      "UNION ALL SELECT 'websites', s.url FROM contact_websites s WHERE s.user_id = :id "
      "UNION ALL SELECT 'addresses', COALESCE(a.address1, '') || '; ' || COALESCE(a.address2, '') || '; ' || "
      "COALESCE(a.city, '') || '; ' || COALESCE(a.state, '') || '; ' || COALESCE(a.postal_code, '') || '; ' || "
      "COALESCE(a.country, '') || '; ' || COALESCE(a.type, '') FROM contact_addresses a WHERE a.user_id = :id "
      "UNION ALL SELECT 'custom_fields', f.key || ': ' || v.value FROM user_field_values v "
      "JOIN custom_fields f ON f.id = v.field_id WHERE v.user_id = :id AND f.deleted_at IS NULL");

static const struct kind {
    const char *what;
    enum activity_name updated;
    const struct query *row, *lists;
    const struct member *members; /* of .row, from its second column on */
} kinds[] = {
    [ACTIVITY_OF_USER] = {"this person", USER_UPDATED, &activity_user, &activity_user_lists, user_members},
};

struct item {
    struct str field, text;
    bool unseen;
    struct item *next;
};
struct items {
    struct item *first, *last;
};

struct activity {
    enum activity_owner owner;
    int64_t id;
    enum activity_name marked; /* 0: compare */
    struct items before, after;
    struct activity *next;
};

static struct activity *find(const struct work *w, enum activity_owner owner, int64_t id) {
    struct activity *a = w->activities;
    while (a && (a->owner != owner || a->id != id)) a = a->next;
    return a;
}

static struct activity *add_watched(struct work *w, enum activity_owner owner, int64_t id) {
    struct activity *a = ARENA_NEW(w->arena, struct activity);
    *a = (struct activity){.owner = owner, .id = id, .next = w->activities};
    w->activities = a;
    return a;
}

static void keep(struct work *w, struct items *list, struct item item) {
    struct item *kept = ARENA_NEW(w->arena, struct item);
    item.text = str_dup(w->arena, item.text);
    *kept = item;
    if (list->last)
        list->last->next = kept;
    else
        list->first = kept;
    list->last = kept;
}

static void read_members(struct work *w, struct stmt *row, const struct member *members, struct items *list) {
    for (int i = 0; members[i].name; i++) {
        const struct member *m = &members[i];
        if (col_null(row, i + 1)) continue;
        struct str text = m->words == NULL || m->words == unseen ? col_text(row, i + 1)
                                                                 : str_of(word_of(m->words, col_int(row, i + 1)));
        keep(w, list, (struct item){.field = str_of(m->name), .text = text, .unseen = m->words == unseen});
    }
}

/* One thing at a time: bound as one id a look costs 11 us, as a list of one 31 (SQLite). */
static int look(struct work *w, enum activity_owner owner, int64_t id, struct items *list) {
    const struct bind *binds = BINDS(B_INT("id", id));
    int rc;
    DB_ROWS(rc, w->conn, kinds[owner].row, binds, row) read_members(w, row, kinds[owner].members, list);
    TRY(rc);
    DB_ROWS(rc, w->conn, kinds[owner].lists, binds, row)
    keep(w, list, (struct item){.field = str_dup(w->arena, col_text(row, 0)), .text = col_text(row, 1)});
    return rc;
}

/* ---- what is said to become of them ------------------------------------------------------------------------------ */

int activity_watch(struct work *w, enum activity_owner owner, int64_t id) {
    return find(w, owner, id) ? 0 : look(w, owner, id, &add_watched(w, owner, id)->before);
}

int activity_watch_all(struct work *w, enum activity_owner owner, struct str ids) {
    struct json *list;
    struct json_error err;
    int64_t id;
    if (json_parse(w->arena, ids, &list, &err) < 0) return -ERR_INTERNAL_ERROR;
    for (const struct json *j = list->first; j; j = j->next)
        if (str_to_int(j->text, &id)) TRY(activity_watch(w, owner, id));
    return 0;
}

int activity_mark(struct work *w, enum activity_owner owner, int64_t id, enum activity_name name) {
    struct activity *a = find(w, owner, id);
    if (a == NULL) a = add_watched(w, owner, id);
    a->marked = name;
    return 0;
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

QUERY(activity_insert, "INSERT INTO activities (owner_user_id, actor_id, name, did, created_at) "
                       "VALUES (CAST(:user AS BIGINT), CAST(:actor AS BIGINT), :name, :did, :now) RETURNING id");
QUERY(activity_change_insert, "INSERT INTO activity_changes (activity_id, field, previous_value, current_value) "
                              "VALUES (:activity, :field, :previous, :current)");

/* What who acted did, as the end of a sentence: "changed full_name and role". No value is in it. */
static struct str deed(struct work *w, enum activity_owner owner, enum activity_name name,
                       const struct activity_change *changes, int count) {
    static const char *const deeds[] = {
        [USER_CREATED] = "created", [USER_DELETED] = "deleted", [USER_MAIL_FAILED] = "could not deliver a mail to"};
    struct buf b = {0};
    if (name != kinds[owner].updated) return str_fmt(w->arena, "%s %s", deeds[name], kinds[owner].what);
    for (int i = 0; i < count; i++) {
        buf_text(&b, i == 0 ? "changed " : i == count - 1 ? " and " : ", ");
        buf_str(&b, changes[i].field);
    }
    struct str s = str_dup(w->arena, buf_view(&b));
    buf_free(&b);
    return s;
}

int activity_add(struct work *w, enum activity_owner owner, int64_t id, enum activity_name name,
                 const struct activity_change *changes, int count) {
    int64_t made;
    TRY(db_insert(w->conn, &activity_insert,
                  BINDS(B_ID("user", owner == ACTIVITY_OF_USER ? id : 0), B_ID("actor", w->actor.user_id),
                        B_INT("name", name), B_TEXT("did", deed(w, owner, name, changes, count)), B_INT("now", w->now)),
                  &made));
    for (int i = 0; i < count; i++)
        TRY(db_exec(w->conn, &activity_change_insert,
                    BINDS(B_INT("activity", made), B_TEXT("field", changes[i].field),
                          B_TEXT("previous", changes[i].previous), B_TEXT("current", changes[i].current))));
    return 0;
}

/* ---- the difference ---------------------------------------------------------------------------------------------- */

struct difference {
    struct activity_change *changes;
    int count;
};

static struct activity_change *change_of(struct difference *d, struct str field) {
    for (int i = 0; i < d->count; i++)
        if (str_eq(d->changes[i].field, field)) return &d->changes[i];
    d->changes[d->count] = (struct activity_change){.field = field};
    return &d->changes[d->count++];
}

/* What is in this list and not in the other. */
static void gather(struct work *w, struct difference *d, const struct items *list, const struct items *other,
                   bool current) {
    for (const struct item *i = list->first; i; i = i->next) {
        const struct item *same = other->first;
        while (same && !(str_eq(same->field, i->field) && str_eq(same->text, i->text))) same = same->next;
        if (same) continue;
        struct activity_change *change = change_of(d, i->field);
        struct str *value = current ? &change->current : &change->previous;
        if (i->unseen) continue;
        *value = value->p ? str_fmt(w->arena, "%s, %s", value->p, i->text.p) : i->text;
    }
}

static int compare(struct work *w, const struct activity *a) {
    size_t most = 1;
    for (const struct item *i = a->before.first; i; i = i->next) most++;
    for (const struct item *i = a->after.first; i; i = i->next) most++;
    struct difference d = {arena_array(w->arena, most, sizeof *d.changes), 0};
    gather(w, &d, &a->before, &a->after, false);
    gather(w, &d, &a->after, &a->before, true);
    return d.count ? activity_add(w, a->owner, a->id, kinds[a->owner].updated, d.changes, d.count) : 0;
}

int activities_write(struct work *w) {
    for (struct activity *a = w->activities; a; a = a->next) {
        if (!a->marked) TRY(look(w, a->owner, a->id, &a->after));
        TRY(a->marked ? activity_add(w, a->owner, a->id, a->marked, NULL, 0) : compare(w, a));
    }
    return 0;
}

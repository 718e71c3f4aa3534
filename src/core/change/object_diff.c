#include "core/change/object_diff.h"

#include "core/change/change.h"
#include "core/words.h"
#include "json/json.h"

/* ---- the state of an object ------------------------------------------------------------------
 *
 * The state is a list of (property, text): one item for a member with a value, several for a list.
 * Unverified claims are left out. */

enum member_form { MEMBER_TEXT, MEMBER_BOOL, MEMBER_WORD, MEMBER_REFERENCE, MEMBER_SECRET };

struct member {
    const char *name;
    enum member_form form; /* MEMBER_SECRET: a time that changes with a secret; recorded by name only */
    const struct word *words;
};

/* X(name, form, words, value, name of a reference): the name of a reference is read with it. */
#define USER_MEMBERS(X)                                                                                     \
    X("full_name", MEMBER_TEXT, NULL, "t.full_name", "NULL")                                                \
    X("legacy_id", MEMBER_TEXT, NULL, "t.legacy_id", "NULL")                                                \
    X("designation", MEMBER_TEXT, NULL, "t.designation", "NULL")                                            \
    X("is_enabled", MEMBER_BOOL, NULL, "t.is_enabled", "NULL")                                              \
    X("is_mfa_enabled", MEMBER_BOOL, NULL, "t.is_mfa_enabled", "NULL")                                      \
    X("password", MEMBER_SECRET, NULL, "t.password_updated_at", "NULL")                                     \
    X("avatar", MEMBER_SECRET, NULL, "t.avatar_updated_at", "NULL")                                         \
    X("role", MEMBER_REFERENCE, NULL, "t.role_id", "(SELECT r.title FROM roles r WHERE r.id = t.role_id)")  \
    X("agent_case_access", MEMBER_WORD, case_accesses, "t.agent_case_access", "NULL")                       \
    X("organization_case_access", MEMBER_WORD, organization_accesses, "t.organization_case_access", "NULL") \
    X("organization", MEMBER_REFERENCE, NULL, "t.organization_id",                                          \
      "(SELECT o.name FROM organizations o "                                                                \
      "WHERE o.id = t.organization_id)")                                                                    \
    X("locale", MEMBER_REFERENCE, NULL, "t.locale_id",                                                      \
      "(SELECT l.locale FROM locales l WHERE l.id = t.locale_id)")                                          \
    X("time_zone", MEMBER_TEXT, NULL, "t.time_zone", "NULL")                                                \
    X("greeting", MEMBER_TEXT, NULL, "t.greeting", "NULL")                                                  \
    X("signature", MEMBER_TEXT, NULL, "t.signature", "NULL")                                                \
    X("status_message", MEMBER_TEXT, NULL, "t.status_message", "NULL")
#define ORGANIZATION_MEMBERS(X)                              \
    X("name", MEMBER_TEXT, NULL, "t.name", "NULL")           \
    X("legacy_id", MEMBER_TEXT, NULL, "t.legacy_id", "NULL") \
    X("is_shared", MEMBER_BOOL, NULL, "t.is_shared", "NULL") \
    X("is_validated", MEMBER_BOOL, NULL, "t.is_validated", "NULL")
#define COLUMNS_OF(name, form, words, value, shown) ", " value ", " shown
#define MEMBER_OF(name, form, words, value, shown) {name, form, words},

static const struct member user_members[] = {USER_MEMBERS(MEMBER_OF){0}};
static const struct member organization_members[] = {ORGANIZATION_MEMBERS(MEMBER_OF){0}};
QUERY(diffed_user, "SELECT 1" USER_MEMBERS(COLUMNS_OF) " FROM users t WHERE t.id = :id");
QUERY(diffed_organization,
      "SELECT 1" ORGANIZATION_MEMBERS(COLUMNS_OF) " FROM organizations t WHERE t.id = :id");

#define IDENTITIES(field, value, table)                                                \
    "SELECT '" field "', i." value " || CASE WHEN i.is_primary = 1 THEN ' (primary)' " \
    "ELSE '' END || CASE WHEN i.is_validated = 1 THEN '' "                             \
    "ELSE ' (not validated)' END FROM " table " i WHERE i.user_id = :id AND i.is_claim = 0 "
#define CONTACTS(owner)                                                         \
    "UNION ALL SELECT 'websites', s.url FROM contact_websites s WHERE s." owner \
    " = :id UNION ALL SELECT 'addresses', COALESCE(a.address1, "                \
    "'') || '; ' || COALESCE(a.address2, "                                      \
    "'') || '; ' || COALESCE(a.city, '') || '; ' || COALESCE(a.state, "         \
    "'') || '; ' || COALESCE(a.postal_code, "                                   \
    "'') || '; ' || COALESCE(a.country, "                                       \
    "'') || '; ' || COALESCE(a.type, '') FROM contact_addresses a "             \
    "WHERE a." owner " = :id "
/* area: enum field_area */
#define VALUES_OF(area)                                              \
    "UNION ALL SELECT 'custom_fields', f.key || ': ' || v.value "    \
    "FROM field_values v JOIN custom_fields f ON f.id = v.field_id " \
    "WHERE v.owner_id = :id AND v.area = " area " AND f.deleted_at IS NULL"
QUERY(
    diffed_user_lists,
    IDENTITIES("emails", "email", "identity_emails") "UNION ALL " IDENTITIES("phones", "number", "identity_phones") "UNION ALL " IDENTITIES(
        "twitter", "screen_name",
        "identity_twitter") "UNION ALL " IDENTITIES("facebook", "facebook_id",
                                                    "identity_facebook") "UNION ALL SELECT 'teams', t.title FROM team_members m "
                                                                         "JOIN teams t ON t.id = m.team_id WHERE m.user_id = :id "
                                                                         "UNION ALL SELECT 'tags', t.name FROM user_tags m "
                                                                         "JOIN tags t ON t.id = m.tag_id WHERE m.user_id = :id "
                                                                         "UNION ALL SELECT 'external_identifiers', "
                                                                         "e.external_app || ': ' || e.external_id "
                                                                         "FROM external_identifiers e WHERE e.user_id = :id " CONTACTS(
                                                                             "user_id") VALUES_OF("2"));
QUERY(diffed_organization_lists,
      "SELECT 'domains', d.domain || CASE WHEN d.is_primary = 1 THEN ' (primary)' ELSE '' END "
      "FROM identity_domains d WHERE d.organization_id = :id "
      "UNION ALL SELECT 'phone', p.number FROM identity_phones p "
      "WHERE p.organization_id = :id UNION ALL "
      "SELECT 'tags', t.name FROM organization_tags m "
      "JOIN tags t ON t.id = m.tag_id WHERE m.organization_id = :id " CONTACTS("organization_id")
          VALUES_OF("3"));

static const struct diffed_row {
    const char *kind;
    const struct query *row, *lists;
    const struct member *members; /* columns of .row: two for each member, from the second column on */
} kinds[] = {
    [DIFFED_USER] = {"user", &diffed_user, &diffed_user_lists, user_members},
    [DIFFED_ORGANIZATION] = {"organization", &diffed_organization, &diffed_organization_lists,
                             organization_members},
};

struct item {
    const char *property;
    struct changed_value value;
    bool secret;
    struct item *next;
};

struct items {
    struct item *first, *last;
};

struct object_diff {
    enum diffed_kind kind;
    int64_t id;
    bool made; /* created or deleted by this work: not compared */
    struct items before, after;
    struct object_diff *next;
};

static struct object_diff *diff_of_object(const struct work *w, enum diffed_kind kind, int64_t id) {
    struct object_diff *a = w->diffs;
    while (a && (a->kind != kind || a->id != id)) a = a->next;
    return a;
}

static struct object_diff *diff_add(struct work *w, enum diffed_kind kind, int64_t id) {
    struct object_diff *a = ARENA_NEW(w->arena, struct object_diff);
    *a = (struct object_diff){.kind = kind, .id = id, .next = w->diffs};
    w->diffs = a;
    return a;
}

static void items_add(struct work *w, struct items *list, struct item item) {
    struct item *kept = ARENA_NEW(w->arena, struct item);
    *kept = item;
    if (list->last) list->last->next = kept;
    else list->first = kept;
    list->last = kept;
}

static struct changed_value member_value(struct work *w, struct stmt *row, int at, const struct member *m) {
    struct changed_value v = {.given = true};
    if (m->form == MEMBER_TEXT) return changed_text(str_dup(w->arena, col_text(row, at)));
    if (m->form == MEMBER_BOOL) return changed_bool(col_int(row, at));
    if (m->form == MEMBER_WORD) return changed_word(m->words, col_int(row, at));
    v.number = col_int(row, at);
    if (m->form == MEMBER_REFERENCE) v.shown = str_dup(w->arena, col_text(row, at + 1));
    return v;
}

static void read_members(struct work *w, struct stmt *row, const struct member *members, struct items *list) {
    for (int i = 0, at = 1; members[i].name; i++, at += 2) {
        const struct member *m = &members[i];
        if (col_null(row, at)) continue;
        items_add(w, list,
                  (struct item){.property = m->name,
                                .value = member_value(w, row, at, m),
                                .secret = m->form == MEMBER_SECRET});
    }
}

/* Reads one object at a time: with one bound id a read costs 11 us, with a list of one id 31 us (SQLite). */
static int look_at(struct work *w, enum diffed_kind kind, int64_t id, struct items *list) {
    const struct bind *binds = BINDS(B_INT("id", id));
    int rc;
    DB_ROWS(rc, w->conn, kinds[kind].row, binds, row) read_members(w, row, kinds[kind].members, list);
    TRY(rc);
    DB_ROWS(rc, w->conn, kinds[kind].lists, binds, row) {
        const char *property = str_dup(w->arena, col_text(row, 0)).p;
        items_add(
            w, list,
            (struct item){.property = property, .value = changed_text(str_dup(w->arena, col_text(row, 1)))});
    }
    return rc;
}

/* ---- compared objects ------------------------------------------------------------------------- */

int object_diff_begin(struct work *w, enum diffed_kind kind, int64_t id) {
    return diff_of_object(w, kind, id) ? 0 : look_at(w, kind, id, &diff_add(w, kind, id)->before);
}

static int each_id(struct work *w, enum diffed_kind kind, struct str ids,
                   int (*run)(struct work *w, enum diffed_kind kind, int64_t id)) {
    struct json *list;
    struct json_error err;
    int64_t id;
    if (json_parse(w->arena, ids, &list, &err) < 0) return -ERR_INTERNAL_ERROR;
    for (const struct json *j = list->first; j; j = j->next)
        if (str_to_int(j->text, &id)) TRY(run(w, kind, id));
    return 0;
}

int object_diff_begin_all(struct work *w, enum diffed_kind kind, struct str ids) {
    return each_id(w, kind, ids, object_diff_begin);
}
int object_diff_deleted_all(struct work *w, enum diffed_kind kind, struct str ids) {
    return each_id(w, kind, ids, object_diff_deleted);
}

static struct object_diff *diff_of_whole(struct work *w, enum diffed_kind kind, int64_t id) {
    struct object_diff *a = diff_of_object(w, kind, id);
    if (a == NULL) a = diff_add(w, kind, id);
    a->made = true;
    return a;
}

int object_diff_created(struct work *w, enum diffed_kind kind, int64_t id) {
    diff_of_whole(w, kind, id);
    change_created(w, (struct changed){kinds[kind].kind, id, 0});
    return 0;
}

int object_diff_deleted(struct work *w, enum diffed_kind kind, int64_t id) {
    diff_of_whole(w, kind, id);
    change_deleted(w, (struct changed){kinds[kind].kind, id, 0});
    return 0;
}

/* ---- the difference -------------------------------------------------------------------------- */

struct difference {
    const char *property;
    bool secret;
    struct changed_value from, to;
};

static struct difference *difference_of(struct difference *list, int *count, const struct item *i) {
    for (int n = 0; n < *count; n++)
        if (strcmp(list[n].property, i->property) == 0) return &list[n];
    list[*count] = (struct difference){.property = i->property, .secret = i->secret};
    return &list[(*count)++];
}

static bool same_item(const struct item *a, const struct item *b) {
    return strcmp(a->property, b->property) == 0 && a->value.number == b->value.number &&
           str_eq(a->value.text, b->value.text);
}

/* Gathers the items that are in `list` and not in `other`. */
static void gather(struct work *w, struct difference *found, int *count, const struct items *list,
                   const struct items *other, bool after) {
    for (const struct item *i = list->first; i; i = i->next) {
        const struct item *same = other->first;
        while (same && !same_item(same, i)) same = same->next;
        if (same) continue;
        struct difference *d = difference_of(found, count, i);
        struct changed_value *v = after ? &d->to : &d->from;
        if (v->given) v->text = str_fmt(w->arena, "%s, %s", v->text.p, i->value.text.p);
        else *v = i->value;
    }
}

static void object_diff_record(struct work *w, const struct object_diff *a) {
    size_t most = 1;
    int count = 0;
    for (const struct item *i = a->before.first; i; i = i->next) most++;
    for (const struct item *i = a->after.first; i; i = i->next) most++;
    struct difference *found = arena_array(w->arena, most, sizeof *found);
    gather(w, found, &count, &a->before, &a->after, false);
    gather(w, found, &count, &a->after, &a->before, true);
    struct changed object = {kinds[a->kind].kind, a->id, 0};
    for (int i = 0; i < count; i++) {
        if (found[i].secret) change_named(w, object, found[i].property);
        else change_property(w, object, found[i].property, found[i].from, found[i].to);
    }
}

int object_diff_finish(struct work *w) {
    for (struct object_diff *a = w->diffs; a; a = a->next) {
        if (a->made) continue;
        TRY(look_at(w, a->kind, a->id, &a->after));
        object_diff_record(w, a);
    }
    return 0;
}

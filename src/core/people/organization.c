#include "core/people/organization.h"

#include "core/change/object_diff.h"

#include "base/fold.h"
#include "core/desk/cascade.h"
#include "core/people/name_index.h"
#include "json/json.h"

/* ---- domains --------------------------------------------------------------------------------- */

QUERY(domains_of_others,
      "SELECT domain_key FROM identity_domains WHERE domain_key IN @TEXTS(:keys) AND organization_id <> :id");
QUERY(domains_drop,
      "DELETE FROM identity_domains WHERE organization_id = :id AND domain_key NOT IN @TEXTS(:keys)");
QUERY(domain_put, "INSERT INTO identity_domains (organization_id, domain, domain_key, is_primary, "
                  "is_validated, created_at, updated_at) "
                  "SELECT o.id, :text, :key, CAST(:first AS INTEGER), o.is_validated, CAST(:now AS BIGINT), "
                  "CAST(:now AS BIGINT) FROM organizations o "
                  "WHERE o.id = :id ON CONFLICT (domain_key) DO UPDATE "
                  "SET is_primary = excluded.is_primary, updated_at = excluded.updated_at "
                  "WHERE identity_domains.is_primary <> excluded.is_primary");
QUERY(domains_validate,
      "UPDATE identity_domains SET is_validated = 1 - is_validated, updated_at = :now "
      "WHERE organization_id = :id AND is_validated <> (SELECT o.is_validated FROM organizations o "
      "WHERE o.id = :id)");
QUERY(organization_by_domain,
      "SELECT organization_id FROM identity_domains WHERE domain_key = :key AND is_validated = 1");

int domains_taken(struct work *w, int64_t organization_id, const struct str *keys, size_t count, int *place) {
    int rc;
    *place = -1;
    TRY(db_lock(w->conn, S("domains")));
    DB_ROWS(rc, w->conn, &domains_of_others,
            BINDS(B_TEXT("keys", json_texts(w->arena, keys, count)), B_INT("id", organization_id)), row)
    for (int i = 0; i < (int)count; i++)
        if (str_eq(keys[i], col_text(row, 0)) && (*place < 0 || i < *place)) *place = i;
    return rc < 0 ? rc : *place >= 0;
}

int organization_set_domains(struct work *w, int64_t id, const struct str *keys, size_t count) {
    TRY(db_exec(w->conn, &domains_drop,
                BINDS(B_INT("id", id), B_TEXT("keys", json_texts(w->arena, keys, count)))));
    for (size_t i = 0; i < count; i++)
        TRY(db_exec(w->conn, &domain_put,
                    BINDS(B_INT("id", id), B_TEXT("text", domain_text(w->arena, keys[i])),
                          B_TEXT("key", keys[i]), B_INT("first", i == 0), B_INT("now", w->now))));
    return 0;
}

/* call after is_validated changed */
static int organization_validate_domains(struct work *w, int64_t id) {
    return db_exec(w->conn, &domains_validate, BINDS(B_INT("id", id), B_INT("now", w->now)));
}

int organization_of_address(struct work *w, struct str email, int64_t *id) {
    struct str domain = email_key(w->arena, email);
    str_cut(&domain, '@');
    return domain.p ? db_int(w->conn, &organization_by_domain, BINDS(B_TEXT("key", domain)), id) : 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

QUERY(organization_names, "SELECT id, name_key FROM organizations WHERE id IN @LIST(:ids)");

struct name {
    int64_t id;
    struct str key;
    struct name *next;
};

static int organizations_index_names(struct work *w, struct str ids, bool present) {
    struct name *first = NULL;
    int rc;
    DB_ROWS(rc, w->conn, &organization_names, BINDS(B_TEXT("ids", ids)), row) {
        struct name *n = ARENA_NEW(w->arena, struct name);
        *n = (struct name){col_int(row, 0), str_dup(w->arena, col_text(row, 1)), first};
        first = n;
    }
    struct str none = {0};
    for (struct name *n = first; rc >= 0 && n; n = n->next)
        rc =
            name_indexed(w->conn, NAME_ORGANIZATION, n->id, present ? none : n->key, present ? n->key : none);
    return rc;
}

/* ---- the end --------------------------------------------------------------------------------- */

QUERY(organizations_mark,
      "UPDATE organizations SET deleted_at = :now, is_shared = 0, legacy_id = NULL WHERE id IN @LIST(:ids)");
QUERY(organizations_domains, "DELETE FROM identity_domains WHERE organization_id IN @LIST(:ids)");
QUERY(organization_alive, "SELECT id FROM organizations WHERE id = :id AND deleted_at IS NULL @HOLD@");

int organization_create(struct work *w, const struct column *columns, int count, int64_t *id) {
    TRY(record_insert(w, (struct record){NULL, "organizations", NULL}, columns, count, id));
    TRY(object_diff_created(w, DIFFED_ORGANIZATION, *id));
    return organizations_index_names(w, json_ids(w->arena, id, 1), true);
}

int organization_change(struct work *w, int64_t id, const struct organization_change *wanted) {
    struct str ids = json_ids(w->arena, &id, 1);
    TRY(object_diff_begin(w, DIFFED_ORGANIZATION, id));
    if (wanted->name) TRY(organizations_index_names(w, ids, false));
    TRY(record_update(w, (struct record){NULL, "organizations", NULL}, &id, 1, wanted->columns,
                      wanted->column_count));
    if (wanted->name) TRY(organizations_index_names(w, ids, true));
    return wanted->is_validated ? organization_validate_domains(w, id) : 0;
}

int organizations_delete(struct work *w, struct str ids) {
    TRY(object_diff_deleted_all(w, DIFFED_ORGANIZATION, ids));
    const struct bind *binds = BINDS(B_TEXT("ids", ids), B_INT("now", w->now));
    TRY(organizations_index_names(w, ids, false));
    TRY(db_exec(w->conn, &organizations_mark, binds));
    TRY(db_exec(w->conn, &organizations_domains, binds));
    return cascade(w, CASCADE_ORGANIZATION, ids);
}

int organization_hold(struct work *w, int64_t id) {
    int rc = id ? db_int(w->conn, &organization_alive, BINDS(B_INT("id", id)), &id) : 1;
    return rc ? rc
              : fail_field(w, ERR_FIELD_INVALID, S("organization_id"),
                           "There is no organization with this id. GET /organizations lists them.");
}

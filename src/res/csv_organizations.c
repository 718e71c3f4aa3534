/* Rows of organizations, found by their ids in other systems, domains and names. */
#include "base/fold.h"
#include "core/people/identity.h"
#include "res/csv_organizations.h"

QUERY(csv_organization_of_legacy_id,
      "SELECT id FROM organizations WHERE legacy_id = :legacy_id AND deleted_at IS NULL");
QUERY(csv_organization_of_domain,
      "SELECT d.organization_id FROM identity_domains d JOIN organizations o "
      "ON o.id = d.organization_id WHERE d.domain_key = :key AND o.deleted_at IS NULL");

int csv_organization_find(struct csv_rows *x, const struct csv_cells *cells, int64_t *id) {
    struct work *w = &x->call.work;
    struct str legacy_id = cells->texts[CSV_LEGACY_ID], name = cells->texts[CSV_NAME];
    const struct json *domains = cells->lists[CSV_DOMAINS];
    int64_t found = 0;
    if (legacy_id.n) {
        int rc =
            db_int(w->conn, &csv_organization_of_legacy_id, BINDS(B_TEXT("legacy_id", legacy_id)), &found);
        TRY(csv_found(x, id, "legacy_id", rc, found));
    }
    for (const struct json *j = domains ? domains->first : NULL; j; j = j->next) {
        struct str key = domain_read(w->arena, j->text);
        if (key.p == NULL) return csv_refuse(x, "domains", CSV_DOMAIN_INVALID, 0);
        int rc = db_int(w->conn, &csv_organization_of_domain, BINDS(B_TEXT("key", key)), &found);
        TRY(csv_found(x, id, "domains", rc, found));
    }
    if (*id || name.n == 0) return 0;
    int n = csv_organization_named(w, name, &found);
    if (n > 1) return csv_refuse(x, "name", CSV_NAME_SHARED, 0);
    if (n == 1) *id = found;
    return n < 0 ? n : 0;
}

void csv_organization_keys(struct csv_rows *x, const struct csv_cells *cells, csv_key_fn *take, void *to) {
    struct arena *a = x->call.work.arena;
    const struct json *domains = cells->lists[CSV_DOMAINS];
    if (cells->texts[CSV_LEGACY_ID].n) take(to, csv_key('l', cells->texts[CSV_LEGACY_ID]));
    if (cells->texts[CSV_NAME].n) take(to, csv_key('n', fold_key(a, cells->texts[CSV_NAME])));
    for (const struct json *j = domains ? domains->first : NULL; j; j = j->next) {
        struct str key = domain_read(a, j->text);
        if (key.p) take(to, csv_key('d', key));
    }
}

/* ---- lists: the present items stay, and the new ones follow them ------------------------------- */

QUERY(csv_domains_present,
      "SELECT domain FROM identity_domains WHERE organization_id = :id ORDER BY is_primary DESC, id");
QUERY(csv_phones_present,
      "SELECT number FROM identity_phones WHERE organization_id = :id ORDER BY is_primary DESC, id");

static struct str item_key(struct work *w, bool domains, struct str text) {
    return domains ? domain_read(w->arena, text) : phone_key(w, text);
}

static bool item_listed(struct work *w, bool domains, const struct json *list, struct str key) {
    for (const struct json *j = list->first; key.p && j; j = j->next)
        if (str_eq(item_key(w, domains, j->text), key)) return true;
    return false;
}

static int give_items(struct csv_rows *x, bool domains, const struct json *given, int64_t id,
                      struct json *body) {
    struct work *w = &x->call.work;
    struct json *list = json_new(w->arena, JSON_ARRAY);
    int rc = 0;
    if (given == NULL || given->count == 0) return 0;
    if (id) {
        DB_ROWS(rc, w->conn, domains ? &csv_domains_present : &csv_phones_present, BINDS(B_INT("id", id)),
                row)
        json_append(list, json_string(w->arena, str_dup(w->arena, col_text(row, 0))));
    }
    TRY(rc);
    unsigned present = list->count;
    for (const struct json *j = given->first; j; j = j->next)
        if (!item_listed(w, domains, list, item_key(w, domains, j->text)))
            json_append(list, json_string(w->arena, j->text));
    if (list->count > present) csv_give_list(body, domains ? "domains" : "phones", list);
    return 0;
}

int csv_organization_body(struct csv_rows *x, const struct csv_cells *cells, int64_t id, struct json *body) {
    csv_give(x, body, "name", cells->texts[CSV_NAME]);
    csv_give(x, body, "legacy_id", cells->texts[CSV_LEGACY_ID]);
    csv_give(x, body, "is_shared", cells->texts[CSV_IS_SHARED]);
    csv_give(x, body, "is_validated", cells->texts[CSV_IS_VALIDATED]);
    TRY(give_items(x, true, cells->lists[CSV_DOMAINS], id, body));
    return give_items(x, false, cells->lists[CSV_PHONES], id, body);
}

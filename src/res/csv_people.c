/* Rows of people: customers, found by their ids in other systems, e-mail addresses and phone numbers. */
#include "base/fold.h"
#include "base/limits.h"
#include "core/letters/letter.h"
#include "core/people/authority.h"
#include "core/people/contact.h"
#include "core/people/identity.h"
#include "core/words.h"
#include "res/csv_people.h"

/* ---- who is there ---------------------------------------------------------------------------- */

QUERY(csv_person_of_legacy_id, "SELECT id FROM users WHERE legacy_id = :legacy_id AND deleted_at IS NULL");
QUERY(csv_person_role_type, "SELECT role_type FROM users WHERE id = :id");

/* "shop:C-1815" */
static bool identifier_read(struct str text, struct str *app, struct str *id) {
    const char *colon = memchr(text.p, ':', text.n);
    if (colon == NULL) return false;
    *app = str_trim((struct str){text.p, (size_t)(colon - text.p)});
    *id = str_trim((struct str){colon + 1, text.n - (size_t)(colon + 1 - text.p)});
    return app->n && id->n;
}

static int find_by_identifiers(struct csv_rows *x, const struct json *list, int64_t *found) {
    struct str app, id;
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        int64_t person = 0;
        if (!identifier_read(j->text, &app, &id))
            return csv_refuse(x, "external_identifiers", CSV_IDENTIFIER_INVALID, 0);
        int rc = identifier_owner(&x->call.work, app, id, &person);
        TRY(csv_found(x, found, "external_identifiers", rc, person));
    }
    return 0;
}

static bool address_valid(struct csv_rows *x, enum identity_kind kind, struct str text) {
    return kind == IDENTITY_EMAIL ? email_valid(text) && text.n <= LIMIT_TITLE
                                  : phone_key(&x->call.work, text).p && text.n <= LIMIT_TITLE;
}

static int find_by_addresses(struct csv_rows *x, enum identity_kind kind, const struct json *list,
                             int64_t *found) {
    const char *parameter = kind == IDENTITY_EMAIL ? "email" : "phone";
    if (list && list->count > LIMIT_OWNED) return csv_refuse(x, parameter, CSV_TOO_MANY_VALUES, LIMIT_OWNED);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        int64_t person = 0;
        if (!address_valid(x, kind, j->text))
            return csv_refuse(x, parameter, kind == IDENTITY_EMAIL ? CSV_EMAIL_INVALID : CSV_PHONE_INVALID,
                              0);
        int rc = identity_owner(&x->call.work, kind, j->text, &person);
        TRY(csv_found(x, found, parameter, rc, person));
    }
    return 0;
}

int csv_person_find(struct csv_rows *x, const struct csv_cells *cells, int64_t *id) {
    struct work *w = &x->call.work;
    struct str legacy_id = cells->texts[CSV_LEGACY_ID];
    int64_t person = 0, type = 0;
    if (legacy_id.n) {
        int rc = db_int(w->conn, &csv_person_of_legacy_id, BINDS(B_TEXT("legacy_id", legacy_id)), &person);
        TRY(csv_found(x, id, "legacy_id", rc, person));
    }
    TRY(find_by_identifiers(x, cells->lists[CSV_EXTERNAL_IDENTIFIERS], id));
    TRY(find_by_addresses(x, IDENTITY_EMAIL, cells->lists[CSV_EMAILS], id));
    TRY(find_by_addresses(x, IDENTITY_PHONE, cells->lists[CSV_PHONES], id));
    if (*id == 0 || x->skips) return 0;
    TRY(db_int(w->conn, &csv_person_role_type, BINDS(B_INT("id", *id)), &type));
    if (type <= ROLE_CUSTOMER) return 0;
    return csv_refuse(x, NULL, CSV_PERSON_IS_STAFF, 0);
}

void csv_person_keys(struct csv_rows *x, const struct csv_cells *cells, csv_key_fn *take, void *to) {
    struct work *w = &x->call.work;
    const struct json *emails = cells->lists[CSV_EMAILS], *phones = cells->lists[CSV_PHONES],
                      *identifiers = cells->lists[CSV_EXTERNAL_IDENTIFIERS];
    struct str app, id;
    if (cells->texts[CSV_LEGACY_ID].n) take(to, csv_key('l', cells->texts[CSV_LEGACY_ID]));
    for (const struct json *j = emails ? emails->first : NULL; j; j = j->next)
        if (email_valid(j->text)) take(to, csv_key('e', email_key(w->arena, j->text)));
    for (const struct json *j = phones ? phones->first : NULL; j; j = j->next) {
        struct str key = phone_key(w, j->text);
        if (key.p) take(to, csv_key('p', key));
    }
    for (const struct json *j = identifiers ? identifiers->first : NULL; j; j = j->next)
        if (identifier_read(j->text, &app, &id)) take(to, csv_key('x', STR_CAT(w->arena, app, S(":"), id)));
}

/* ---- references by name ---------------------------------------------------------------------- */

QUERY(csv_roles_titled, "SELECT id, type, title FROM roles ORDER BY is_system DESC, id");
QUERY(csv_locale_named, "SELECT id FROM locales WHERE locale = :locale");

static int give_role(struct csv_rows *x, struct str name, struct json *body) {
    struct arena *a = x->call.work.arena;
    struct str key = fold_key(a, name);
    int64_t id = 0, type = 0;
    int rc;
    if (name.n == 0) return 0;
    DB_ROWS(rc, x->call.work.conn, &csv_roles_titled, NULL, row)
    if (id == 0 && str_eq(fold_key(a, col_text(row, 2)), key)) id = col_int(row, 0), type = col_int(row, 1);
    TRY(rc);
    if (type == ROLE_CUSTOMER) csv_give_id(x, body, "role_id", id);
    else if (id) csv_refuse(x, "role_id", CSV_ROLE_OF_STAFF, 0);
    else csv_refuse(x, "role_id", CSV_ROLE_UNKNOWN, 0);
    return 0;
}

static int give_organization(struct csv_rows *x, struct str name, struct json *body) {
    int64_t id = 0;
    int n = name.n ? csv_organization_named(&x->call.work, name, &id) : 0;
    TRY(n);
    if (n == 1) csv_give_id(x, body, "organization_id", id);
    else if (n > 1) csv_refuse(x, "organization_id", CSV_ORGANIZATION_NAME_SHARED, 0);
    else if (name.n) csv_refuse(x, "organization_id", CSV_ORGANIZATION_UNKNOWN, 0);
    return 0;
}

static int give_locale(struct csv_rows *x, struct str name, struct json *body) {
    struct str low = str_dup(x->call.work.arena, name);
    int64_t id = 0;
    if (name.n == 0) return 0;
    for (char *p = (char *)(uintptr_t)low.p; p < low.p + low.n; p++)
        if (*p >= 'A' && *p <= 'Z') *p = (char)(*p + 'a' - 'A');
    int rc = db_int(x->call.work.conn, &csv_locale_named, BINDS(B_TEXT("locale", low)), &id);
    TRY(rc);
    if (rc) csv_give_id(x, body, "locale_id", id);
    else csv_refuse(x, "locale_id", CSV_LANGUAGE_UNKNOWN, 0);
    return 0;
}

/* ---- the request ----------------------------------------------------------------------------- */

QUERY(csv_person_identifiers,
      "SELECT id, external_app, external_id FROM external_identifiers WHERE user_id = :id ORDER BY id");

static struct json *identifier_object(struct csv_rows *x, int64_t id, struct str app,
                                      struct str external_id) {
    struct json *object = json_new(x->call.work.arena, JSON_OBJECT);
    csv_give_id(x, object, "id", id);
    csv_give(x, object, "external_app", app);
    csv_give(x, object, "external_id", external_id);
    return object;
}

static bool identifier_listed(const struct json *list, struct str app, struct str id) {
    for (const struct json *j = list->first; j; j = j->next)
        if (str_eq(json_member(j, S("external_app"))->text, app) &&
            str_eq(json_member(j, S("external_id"))->text, id))
            return true;
    return false;
}

/* The present identifiers stay, and the new ones follow them. */
static int give_identifiers(struct csv_rows *x, const struct json *given, int64_t id, struct json *body) {
    struct arena *a = x->call.work.arena;
    struct json *list = json_new(a, JSON_ARRAY);
    struct str app, external_id;
    int rc = 0;
    if (given == NULL || given->count == 0) return 0;
    if (id) {
        DB_ROWS(rc, x->call.work.conn, &csv_person_identifiers, BINDS(B_INT("id", id)), row)
        json_append(list, identifier_object(x, col_int(row, 0), str_dup(a, col_text(row, 1)),
                                            str_dup(a, col_text(row, 2))));
    }
    TRY(rc);
    unsigned present = list->count;
    for (const struct json *j = given->first; j; j = j->next)
        if (identifier_read(j->text, &app, &external_id) && !identifier_listed(list, app, external_id))
            json_append(list, identifier_object(x, 0, app, external_id));
    if (list->count > present) csv_give_list(body, "external_identifiers", list);
    return 0;
}

static struct str first_of(const struct json *list) {
    return list && list->first ? list->first->text : (struct str){0};
}

/* Addresses of a person that the person has only claimed can't be added again. */
static int addresses_free(struct csv_rows *x, enum identity_kind kind, const struct json *list, int64_t id) {
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        int64_t owner = 0;
        int rc = identity_owner(&x->call.work, kind, j->text, &owner);
        TRY(rc);
        if (rc) continue; /* the person has it */
        int held = identity_held(&x->call.work, kind, j->text, id, false);
        TRY(held);
        if (held)
            return csv_refuse(x, kind == IDENTITY_EMAIL ? "email" : "phone", CSV_ADDRESS_NOT_VERIFIED, 0);
    }
    return 0;
}

int csv_person_body(struct csv_rows *x, const struct csv_cells *cells, int64_t id, struct json *body) {
    const struct json *emails = cells->lists[CSV_EMAILS], *phones = cells->lists[CSV_PHONES];
    csv_give(x, body, "full_name", cells->texts[CSV_FULL_NAME]);
    if (id == 0) {
        csv_give(x, body, "email", first_of(emails));
        csv_give(x, body, "phone", first_of(phones));
        if (first_of(emails).n == 0 && first_of(phones).n == 0)
            return csv_refuse(x, NULL, CSV_ADDRESS_MISSING, 0);
    } else {
        TRY(addresses_free(x, IDENTITY_EMAIL, emails, id));
        TRY(addresses_free(x, IDENTITY_PHONE, phones, id));
    }
    csv_give(x, body, "legacy_id", cells->texts[CSV_LEGACY_ID]);
    csv_give(x, body, "designation", cells->texts[CSV_DESIGNATION]);
    csv_give(x, body, "time_zone", cells->texts[CSV_TIME_ZONE]);
    TRY(give_role(x, cells->texts[CSV_ROLE], body));
    TRY(give_organization(x, cells->texts[CSV_ORGANIZATION], body));
    TRY(give_locale(x, cells->texts[CSV_LOCALE], body));
    return give_identifiers(x, cells->lists[CSV_EXTERNAL_IDENTIFIERS], id, body);
}

/* ---- further addresses ----------------------------------------------------------------------- */

static int add_addresses(struct csv_rows *x, enum identity_kind kind, const struct json *list, int64_t id,
                         bool is_new) {
    struct work *w = &x->call.work;
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        struct identity_new n = {.user_id = id, .value = j->text, .is_validated = true};
        int64_t owner = 0, made;
        int rc = identity_owner(w, kind, j->text, &owner);
        TRY(rc);
        if (rc && owner == id) continue;
        TRY(identity_add(w, kind, &n, &made));
        if (kind == IDENTITY_EMAIL && !is_new) TRY(letter_address_added(w, made));
    }
    return 0;
}

int csv_person_add(struct csv_rows *x, const struct csv_cells *cells, int64_t id, bool is_new) {
    TRY(add_addresses(x, IDENTITY_EMAIL, cells->lists[CSV_EMAILS], id, is_new));
    return add_addresses(x, IDENTITY_PHONE, cells->lists[CSV_PHONES], id, is_new);
}

/* Addresses, numbers and ids in other systems of people, and domains and numbers of organizations. */
#include "transfer/foreign_identities.h"

#include "base/error.h"
#include "base/fold.h"
#include "base/limits.h"
#include "core/people/contact.h"
#include "core/people/organization.h"

/* ---- people ---------------------------------------------------------------------------------- */

int free_identity(struct foreign *f, struct work *w, enum identity_kind kind, struct str value, int64_t id,
                  struct str *out) {
    *out = (struct str){0};
    if (!value.n) return 0;
    struct str line = foreign_line(f, value, "");
    int held = identity_key(w, kind, line).p ? identity_held(w, kind, line, 0, false) : 1;
    TRY(held);
    if (held)
        foreign_skip(f,
                     kind == IDENTITY_EMAIL
                         ? "e-mail addresses that are not valid, or belong to another person"
                         : "phone numbers that are not valid, or belong to another person",
                     id);
    else *out = line;
    return 0;
}

static int add_claim(struct foreign *f, struct work *w, struct owned by, enum identity_kind kind,
                     struct str value) {
    struct str line = value.n ? foreign_line(f, value, "") : value;
    int64_t id;
    int held = line.n && identity_key(w, kind, line).p ? identity_held(w, kind, line, by.user, true) : 1;
    if (held) return held < 0 ? held : 0;
    return identity_add(w, kind,
                        &(struct identity_new){.user_id = by.user, .value = line, .claim = CLAIM_OWN}, &id);
}

int add_foreign_identity(struct foreign *f, struct work *w, struct owned by, enum identity_kind kind,
                         struct str value) {
    struct str line;
    int64_t owner, id;
    if (by.is_claim) return add_claim(f, w, by, kind, value);
    int owned = value.n ? identity_owner(w, kind, value, &owner) : 0;
    if (owned < 0 || (owned && owner == by.user)) return owned < 0 ? owned : 0;
    TRY(free_identity(f, w, kind, value, by.foreign_id, &line));
    return line.n
               ? identity_add(w, kind,
                              &(struct identity_new){.user_id = by.user, .value = line, .is_validated = true},
                              &id)
               : 0;
}

/* Identities of this API. One that is neither primary nor validated may be a claim, so it becomes one. */
static int add_identities(struct foreign *f, struct work *w, struct owned by, enum identity_kind kind,
                          const struct json *list) {
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        by.is_claim = kind == IDENTITY_EMAIL && !json_member_true(j, "is_primary") &&
                      !json_member_true(j, "is_validated");
        TRY(add_foreign_identity(f, w, by, kind,
                                 json_member_text(j, kind == IDENTITY_EMAIL ? "email" : "number")));
    }
    return 0;
}

static int add_identifiers(struct foreign *f, struct work *w, struct owned by, const struct json *list) {
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        struct str app = foreign_line(f, json_member_text(j, "external_app"), ""),
                   id = foreign_line(f, json_member_text(j, "external_id"), "");
        int64_t owner = 0;
        int owned = app.n && id.n ? identifier_owner(w, app, id, &owner) : 1;
        TRY(owned);
        if (!owned) TRY(identifier_add(w, by.user, app, id));
        else if (owner != by.user)
            foreign_skip(f, "external identifiers that are not valid, or belong to another person",
                         by.foreign_id);
    }
    return 0;
}

int person_addresses_add(struct foreign *f, struct work *w, const struct foreign_person *p, int64_t user) {
    const struct owned by = {.user = user, .foreign_id = p->id};
    TRY(add_identities(f, w, by, IDENTITY_EMAIL, p->emails));
    TRY(add_identities(f, w, by, IDENTITY_PHONE, p->phones));
    return add_identifiers(f, w, by, p->identifiers);
}

/* ---- organizations --------------------------------------------------------------------------- */

QUERY(organization_phones_held, "SELECT number, number_key FROM identity_phones WHERE organization_id = :id "
                                "ORDER BY is_primary DESC, id");

static void phone_put(struct phone *list, int *count, struct phone one) {
    for (int i = 0; i < *count; i++)
        if (str_eq(list[i].key, one.key)) return;
    if (*count < LIMIT_OWNED) list[(*count)++] = one;
}

int organization_phones_add(struct foreign *f, struct work *w, const struct foreign_organization *o,
                            int64_t here) {
    struct phone list[LIMIT_OWNED];
    int rc, count = 0;
    for (const struct json *j = o->phones ? o->phones->first : NULL; j; j = j->next) {
        struct str number = foreign_line(f, json_member_text(j, "number"), ""),
                   key = number.n ? phone_key(w, number) : (struct str){0};
        if (key.p) phone_put(list, &count, (struct phone){number, key});
        else foreign_skip(f, "phone numbers of organizations that are not valid", o->id);
    }
    if (count == 0) return 0;
    DB_ROWS(rc, f->conn, &organization_phones_held, BINDS(B_INT("id", here)), row)
    phone_put(list, &count,
              (struct phone){str_dup(f->item, col_text(row, 0)), str_dup(f->item, col_text(row, 1))});
    return rc < 0 ? rc : organization_phones_replace(w, here, list, count);
}

int organization_domains(struct foreign *f, struct work *w, const struct foreign_organization *o,
                         int64_t here, struct str *keys) {
    int n = 0, place;
    for (const struct json *j = o->domains ? o->domains->first : NULL; j && n < FOREIGN_DOMAINS;
         j = j->next) {
        keys[n] = j->type == JSON_STRING ? domain_read(f->item, j->text) : (struct str){0};
        int taken = keys[n].p ? domains_taken(w, here, &keys[n], 1, &place) : 1;
        for (int i = 0; i < n && !taken; i++) taken = str_eq(keys[i], keys[n]);
        TRY(taken);
        if (taken) foreign_skip(f, "domains that are not valid, or belong to another organization", o->id);
        else n++;
    }
    return n;
}

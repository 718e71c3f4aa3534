#include "core/people/contact.h"

#include "core/fields/field_value.h"
#include "json/json.h"

QUERY(organization_phones_keep,
      "DELETE FROM identity_phones WHERE organization_id = :owner AND number_key NOT IN @TEXTS(:keys)");
QUERY(organization_phone_put,
      "UPDATE identity_phones SET number = :number, is_primary = :primary, updated_at = :now "
      "WHERE organization_id = :owner AND number_key = :key");
QUERY(organization_phone_add,
      "INSERT INTO identity_phones (organization_id, number, number_key, type, is_primary, "
      "is_validated, is_claim, created_at, updated_at) "
      "VALUES (:owner, :number, :key, 1, :primary, 0, 0, :now, :now)");
QUERY(identifier_person,
      "SELECT user_id FROM external_identifiers WHERE external_app = :app AND external_id = :id");
QUERY(identifier_insert,
      "INSERT INTO external_identifiers (user_id, external_app, external_id, created_at, updated_at) "
      "VALUES (:user, :app, :id, :now, :now)");
QUERY(identifiers_free, "DELETE FROM external_identifiers WHERE user_id IN @LIST(:users)");
QUERY(addresses_forget, "DELETE FROM contact_addresses WHERE user_id IN @LIST(:users)");
QUERY(websites_forget, "DELETE FROM contact_websites WHERE user_id IN @LIST(:users)");
QUERY(tags_forget, "DELETE FROM user_tags WHERE user_id IN @LIST(:users)");

int organization_phones_replace(struct work *w, int64_t organization_id, const struct phone *list,
                                int count) {
    struct buf b = {0};
    struct json_writer j;
    jw_init(&j, &b);
    jw_array(&j);
    for (int i = 0; i < count; i++) jw_str(&j, list[i].key);
    jw_end(&j);
    int rc = db_exec(w->conn, &organization_phones_keep,
                     BINDS(B_INT("owner", organization_id), B_TEXT("keys", buf_view(&b))));
    buf_free(&b);
    for (int i = 0; rc >= 0 && i < count; i++) {
        const struct bind *binds =
            BINDS(B_INT("owner", organization_id), B_TEXT("number", list[i].number),
                  B_TEXT("key", list[i].key), B_INT("primary", i == 0), B_INT("now", w->now));
        rc = db_exec(w->conn, &organization_phone_put, binds);
        if (rc == 0) rc = db_exec(w->conn, &organization_phone_add, binds);
    }
    return rc;
}

int identifier_owner(struct work *w, struct str app, struct str id, int64_t *user) {
    return db_int(w->conn, &identifier_person, BINDS(B_TEXT("app", app), B_TEXT("id", id)), user);
}

int identifier_add(struct work *w, int64_t user, struct str app, struct str id) {
    return db_exec(w->conn, &identifier_insert,
                   BINDS(B_INT("user", user), B_TEXT("app", app), B_TEXT("id", id), B_INT("now", w->now)));
}

int contacts_free(struct work *w, struct str users) {
    return db_exec(w->conn, &identifiers_free, BINDS(B_TEXT("users", users)));
}

int contacts_forget(struct work *w, struct str users) {
    static const struct query *const all[] = {&addresses_forget, &websites_forget, &tags_forget};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        TRY(db_exec(w->conn, all[i], BINDS(B_TEXT("users", users))));
    TRY(field_values_drop(w, AREA_USERS, users));
    return contacts_free(w, users);
}

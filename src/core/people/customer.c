#include "core/people/customer.h"

#include "base/fold.h"
#include "core/people/identity.h"
#include "core/people/user.h"

int customer_lock(struct work *w, struct str key) {
    return db_lock(w->conn, str_fmt(w->arena, "email:%.*s", (int)key.n, key.p));
}

int customer_of_address(struct work *w, struct str name, struct str address, int64_t *user_id) {
    TRY(customer_lock(w, email_key(w->arena, address)));
    int rc = identity_owner(w, IDENTITY_EMAIL, address, user_id);
    if (rc) return rc;
    return user_create(w,
                       &(struct user_new){.full_name = name, .email = address, .role_id = ROLE_OF_CUSTOMERS},
                       false, user_id);
}

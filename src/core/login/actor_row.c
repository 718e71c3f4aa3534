#include "core/login/actor_row.h"

#include "core/access/scope.h"

void actor_read(struct actor *a, struct stmt *row) {
    a->role_id = col_int(row, 0);
    a->rank = (int)col_int(row, 1);
    a->case_access = (int)col_int(row, 2);
    a->denied = (uint64_t)col_int(row, 3);
    a->organization_id = col_int(row, 4);
    a->sees_organization = col_int(row, 5) != 0;
    a->password_updated_at = col_int(row, 6);
    a->scopes = SCOPES_ALL;
}

#include "core/change/lease.h"

QUERY(lease_put, "INSERT INTO leases (name, holder, until) "
                 "VALUES (:name, :holder, :until) ON CONFLICT (name) DO UPDATE "
                 "SET holder = excluded.holder, until = excluded.until "
                 "WHERE leases.holder = excluded.holder OR leases.until <= :now");
QUERY(lease_free, "UPDATE leases SET until = 0 WHERE name = :name AND holder = :holder");
QUERY(lease_free_all, "UPDATE leases SET until = 0 WHERE until <> 0");

int lease_take(struct work *w, struct str name, struct str holder, int64_t ms) {
    return db_exec(w->conn, &lease_put,
                   BINDS(B_TEXT("name", name), B_TEXT("holder", holder), B_INT("until", w->now + ms),
                         B_INT("now", w->now)));
}

int lease_release(struct work *w, struct str name, struct str holder) {
    return db_exec(w->conn, &lease_free, BINDS(B_TEXT("name", name), B_TEXT("holder", holder)));
}

int leases_free(struct work *w) { return db_exec(w->conn, &lease_free_all, NULL); }

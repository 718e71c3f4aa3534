#include "core/identity.h"

QUERY(email_claims_end, "DELETE FROM identity_emails WHERE is_validated = 0 AND id <> :id AND email_key = (SELECT e.email_key FROM identity_emails e WHERE e.id = :id)");
QUERY(email_prove, "UPDATE identity_emails SET is_validated = 1, is_claim = 0, updated_at = :now WHERE id = :id AND is_validated = 0");

int email_validate(struct work *w, int64_t email_id) {
    const struct bind *binds = BINDS(B_INT("id", email_id), B_INT("now", w->now));
    TRY(db_exec(w->conn, &email_claims_end, binds));
    return db_exec(w->conn, &email_prove, binds);
}

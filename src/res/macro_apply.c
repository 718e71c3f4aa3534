#include "res/macro_apply.h"

#include "base/limits.h"
#include "core/people/tag.h"
#include "core/words.h"

int macro_given(struct call *c, struct macro *out) {
    if (!given(c, "macro") || in(c, "macro")->value.type != V_INT) return 0;
    return macro_load(&c->work, in_int(c, "macro"), out);
}

QUERY(macro_closes, "SELECT id FROM case_statuses WHERE id = :id AND type = 5");

int macro_join(struct call *c, const struct macro *m, const struct case_now *now,
               struct case_change *change) {
    int64_t id;
    TRY(macro_changes(&c->work, m, now, change));
    if (c->work.actor.rank >= ROLE_ADMIN || !(change->set & CASE_STATUS)) return 0;
    int rc = db_int(c->work.conn, &macro_closes, BINDS(B_INT("id", change->status_id)), &id);
    if (rc <= 0) return rc;
    return in_fail(c, "macro", ERR_PERMISSIONS_DENIED, "Admins and owners close conversations.");
}

int macro_join_tags(struct call *c, const struct macro *m, int64_t case_id) {
    int64_t count = 0;
    if (given(c, "tags")) return 0;
    TRY(macro_tags_apply(&c->work, m, case_id));
    TRY(tags_count(&c->work, TAGGED_CASE, case_id, &count));
    return count > LIMIT_TAGS
               ? in_fail(c, "macro", ERR_FIELD_INVALID, "At most %d tags are allowed.", LIMIT_TAGS)
               : 0;
}

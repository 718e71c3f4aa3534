#include "res/case_parts.h"

#include "api/rows/generic.h"
#include "api/rows/visible.h"
#include "base/limits.h"
#include "core/cases/case_merge.h"

#include <inttypes.h>

const struct field merge_input[] = {
    {"case_ids", F_IDS, PRESENT, .doc = "Conversations that are merged into this one, at most 100.",
     .example = "[24, 25]"},
    {"force", F_BOOL, .initial = "0", .doc = "True if the conversations may have different requesters."},
    {0},
};

static int refuse_merging(struct call *c, int i, enum error code, const char *why) {
    return fail_at(&c->work, code, S("case_ids"), str_fmt(c->work.arena, "case_ids/%d", i), "%s", why);
}

/* All problems with the given ids are reported. An id that is absent or invisible gets the same answer. */
static int check_merged_ids(struct call *c, const struct in *ids) {
    if (ids->value.i > LIMIT_MERGED)
        return in_fail(c, "case_ids", ERR_FIELD_INVALID, "At most %d conversations are merged at a time.",
                       LIMIT_MERGED);
    for (int i = 0; i < ids->value.i; i++) {
        int64_t id = ids->value.ids[i];
        if (id == c->id)
            refuse_merging(c, i, ERR_FIELD_INVALID, "A conversation can't be merged into itself.");
        if (id == c->id) continue;
        int rc = api_visible(c, c->home, id);
        if (rc < 0) return rc;
        if (rc == 0)
            fail_at(&c->work, ERR_RESOURCE_NOT_FOUND, S("case_ids"), str_fmt(c->work.arena, "case_ids/%d", i),
                    NULL);
    }
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

static const char *why_not_merged(struct call *c, const struct merge *m, int i) {
    const struct case_now *now = &m->merged[i];
    if (now->merged_into_id)
        return str_fmt(c->work.arena,
                       "The conversation was merged into conversation %" PRId64 ". Merge that one.",
                       now->merged_into_id)
            .p;
    if (now->state != CASE_ACTIVE) return "The conversation is in the trash or suspended. Restore it first.";
    if (now->requester_id != m->survivor.requester_id && !in_int(c, "force"))
        return "The conversations have different requesters. Send force=true if the requester of this one "
               "may read the posts of the other.";
    return NULL;
}

static int check_merged_states(struct call *c, const struct merge *m) {
    TRY(case_not_hidden(&c->work, &m->survivor));
    TRY(case_not_closed(&c->work, &m->survivor));
    for (int i = 0; i < m->count; i++) {
        const char *why = why_not_merged(c, m, i);
        if (why) refuse_merging(c, i, ERR_RESOURCE_ACTION_NOT_AVAILABLE, why);
    }
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

int post_case_merge(struct call *c) {
    struct merge m;
    TRY(api_target(c));
    TRY(api_input(c));
    const struct in *ids = in(c, "case_ids");
    TRY(check_merged_ids(c, ids));
    TRY(case_merge_load(&c->work, c->id, ids->value.ids, (int)ids->value.i, &m));
    TRY(check_merged_states(c, &m));
    int left = case_merge(&c->work, &m);
    TRY(left);
    if (left)
        notice(&c->work, "NOTICE", "%d tags were not added, because a conversation has at most %d.", left,
               LIMIT_TAGS);
    return api_reply(c);
}

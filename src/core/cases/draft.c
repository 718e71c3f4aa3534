#include "core/cases/draft.h"

#include "base/limits.h"
#include "core/change/change.h"
#include "core/desk/file.h"

#include <inttypes.h>

#define STORED ", d.created_at, d.updated_at, d.file_ids, d.parameters, d.contents "
#define NONE_STORED "CAST(0 AS BIGINT)"
#define OF_CASE_STORED                                                                                     \
    "SELECT d.id, d.user_id, d.case_id, d.channel, d.is_shared, COALESCE(d.base_post_id, 0), " NONE_STORED \
        STORED "FROM drafts d "
QUERY(draft_of_actor, OF_CASE_STORED "WHERE d.user_id = :me AND d.case_id = :case AND d.channel = :channel");
QUERY(draft_shared, OF_CASE_STORED "WHERE d.id = :id AND d.case_id = :case AND d.is_shared = 1");
QUERY(draft_insert, "INSERT INTO drafts (user_id, case_id, channel, is_shared, base_post_id, created_at, "
                    "updated_at, file_ids, parameters, contents) "
                    "VALUES (:me, :case, :channel, :shared, CAST(:base AS BIGINT), :now, :now, :files, "
                    ":parameters, :contents) RETURNING id");
QUERY(draft_update, "UPDATE drafts SET is_shared = :shared, base_post_id = CAST(:base AS BIGINT), "
                    "updated_at = :now, file_ids = :files, parameters = :parameters, contents = :contents "
                    "WHERE id = :id");
QUERY(draft_give, "UPDATE drafts SET user_id = :me, is_shared = 0, updated_at = :now WHERE id = :id");
QUERY(drafts_prune, "DELETE FROM drafts WHERE id IN (SELECT d.id FROM drafts d WHERE d.user_id = :me "
                    "ORDER BY d.updated_at DESC, d.id DESC LIMIT 1000 OFFSET :most)");
QUERY(draft_delete, "DELETE FROM drafts WHERE id = :id");

QUERY(new_case_draft_of_actor,
      "SELECT d.id, d.user_id, " NONE_STORED ", " NONE_STORED ", " NONE_STORED ", " NONE_STORED
      ", COALESCE(d.requester_id, 0)" STORED "FROM new_case_drafts d WHERE d.user_id = :me");
QUERY(new_case_draft_insert,
      "INSERT INTO new_case_drafts (user_id, requester_id, created_at, updated_at, file_ids, parameters, "
      "contents) VALUES (:me, CAST(:requester AS BIGINT), :now, :now, :files, :parameters, :contents) "
      "RETURNING id");
QUERY(new_case_draft_update, "UPDATE new_case_drafts SET requester_id = CAST(:requester AS BIGINT), "
                             "updated_at = :now, file_ids = :files, parameters = :parameters, "
                             "contents = :contents WHERE id = :id");
QUERY(new_case_draft_delete, "DELETE FROM new_case_drafts WHERE id = :id");

/* The two tables have the same statements. */
static const struct draft_table {
    const struct query *of_actor, *insert, *update, *delete;
} of_case = {&draft_of_actor, &draft_insert, &draft_update, &draft_delete},
  of_new_case = {&new_case_draft_of_actor, &new_case_draft_insert, &new_case_draft_update,
                 &new_case_draft_delete};

static const struct draft_table *table_of(int64_t case_id) { return case_id ? &of_case : &of_new_case; }

static struct str draft_text(struct work *w, struct stmt *row, int column) {
    return str_dup(w->arena, col_text(row, column));
}

static int draft_read_row(struct work *w, const struct query *q, const struct bind *binds,
                          struct draft *out) {
    struct stmt *row;
    *out = (struct draft){0};
    int rc = db_row(w->conn, q, binds, &row);
    if (rc <= 0) return rc;
    *out = (struct draft){.id = col_int(row, 0),
                          .user_id = col_int(row, 1),
                          .case_id = col_int(row, 2),
                          .channel = col_int(row, 3),
                          .is_shared = col_int(row, 4) != 0,
                          .base_post_id = col_int(row, 5),
                          .requester_id = col_int(row, 6),
                          .created_at = col_int(row, 7),
                          .updated_at = col_int(row, 8),
                          .file_ids = draft_text(w, row, 9),
                          .parameters = draft_text(w, row, 10),
                          .contents = draft_text(w, row, 11)};
    stmt_end(row);
    return 1;
}

int draft_load(struct work *w, int64_t case_id, enum draft_channel channel, struct draft *out) {
    return draft_read_row(
        w, table_of(case_id)->of_actor,
        BINDS(B_INT("me", w->actor.user_id), B_INT("case", case_id), B_INT("channel", channel)), out);
}

static int drafts_lock(struct work *w, int64_t user_id, int64_t case_id) {
    return db_lock(w->conn, str_fmt(w->arena, "drafts of %" PRId64 " in %" PRId64, user_id, case_id));
}

int draft_lock(struct work *w, int64_t case_id, enum draft_channel channel, struct draft *out) {
    TRY(drafts_lock(w, w->actor.user_id, case_id));
    return draft_load(w, case_id, channel, out);
}

bool draft_is_empty(const struct draft *d) {
    bool has_form = d->case_id == 0 || d->channel == DRAFT_FORWARD;
    bool is_begun = has_form && (d->requester_id || d->parameters.p);
    return str_trim(d->contents).n == 0 && d->file_ids.p == NULL && !is_begun;
}

bool draft_is_same(const struct draft *a, const struct draft *b) {
    return a->base_post_id == b->base_post_id && a->requester_id == b->requester_id &&
           a->is_shared == b->is_shared && str_eq(a->contents, b->contents) &&
           str_eq(a->parameters, b->parameters) && str_eq(a->file_ids, b->file_ids);
}

static int draft_insert_new(struct work *w, const struct bind *binds, struct draft *d) {
    TRY(db_insert(w->conn, table_of(d->case_id)->insert, binds, &d->id));
    if (d->case_id == 0) return 0;
    return db_exec(w->conn, &drafts_prune, BINDS(B_INT("me", w->actor.user_id), B_INT("most", LIMIT_DRAFTS)));
}

static void sharing_changed(struct work *w, const struct draft *d, bool before, bool after) {
    struct changed_value value = changed_text(d->channel == DRAFT_NOTE ? S("NOTE") : S("REPLY"));
    if (before == after) return;
    change_property(w, (struct changed){"case", d->case_id, d->case_id}, "shared_draft",
                    before ? value : changed_nothing(), after ? value : changed_nothing());
}

int draft_save(struct work *w, const struct draft *now, struct draft *d) {
    d->id = now ? now->id : 0;
    d->user_id = w->actor.user_id;
    d->created_at = now ? now->created_at : w->now;
    d->updated_at = now && now->updated_at >= w->now ? now->updated_at + 1 : w->now;
    const struct bind *binds =
        BINDS(B_INT("id", d->id), B_INT("me", w->actor.user_id), B_INT("case", d->case_id),
              B_INT("channel", d->channel), B_INT("shared", d->is_shared), B_ID("base", d->base_post_id),
              B_ID("requester", d->requester_id), B_INT("now", d->updated_at), B_TEXT("files", d->file_ids),
              B_TEXT("parameters", d->parameters), B_TEXT("contents", d->contents));
    if (d->file_ids.p) TRY(files_outlive(w, d->file_ids, w->now + DRAFT_KEPT));
    sharing_changed(w, d, now && now->is_shared, d->is_shared);
    return now ? db_exec(w->conn, table_of(d->case_id)->update, binds) : draft_insert_new(w, binds, d);
}

int draft_drop(struct work *w, const struct draft *d) {
    TRY(db_exec(w->conn, table_of(d->case_id)->delete, BINDS(B_INT("id", d->id))));
    sharing_changed(w, d, d->is_shared, false);
    return d->file_ids.p ? files_released(w, d->file_ids) : 0;
}

/* The lower id first, so that two people who take each other's drafts do not wait for each other. */
static int drafts_lock_both(struct work *w, int64_t user_id, int64_t case_id) {
    int64_t me = w->actor.user_id;
    TRY(drafts_lock(w, me < user_id ? me : user_id, case_id));
    return me == user_id ? 0 : drafts_lock(w, me < user_id ? user_id : me, case_id);
}

int draft_take(struct work *w, int64_t case_id, int64_t id, struct draft *out) {
    const struct bind *binds = BINDS(B_INT("id", id), B_INT("case", case_id));
    struct draft own;
    int rc = draft_read_row(w, &draft_shared, binds, out);
    if (rc <= 0) return rc;
    TRY(drafts_lock_both(w, out->user_id, case_id));
    rc = draft_read_row(w, &draft_shared, binds, out);
    if (rc <= 0) return rc;
    int64_t writer = out->user_id;
    int found = writer == w->actor.user_id ? 0 : draft_load(w, case_id, out->channel, &own);
    TRY(found);
    if (found)
        return fail_state(w,
                          "You have a draft of this channel in the conversation. Send or delete it first.");
    out->user_id = w->actor.user_id;
    out->is_shared = false;
    out->updated_at = out->updated_at >= w->now ? out->updated_at + 1 : w->now;
    TRY(db_exec(w->conn, &draft_give,
                BINDS(B_INT("me", out->user_id), B_INT("now", out->updated_at), B_INT("id", id))));
    if (out->file_ids.p) TRY(files_give(w, out->file_ids, writer));
    sharing_changed(w, out, true, false);
    return 1;
}

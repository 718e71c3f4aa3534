#include "core/cases/draft.h"

#include "base/limits.h"
#include "core/desk/file.h"

#include <inttypes.h>

#define STORED ", d.created_at, d.updated_at, d.file_ids, d.parameters, d.contents"
#define NONE_STORED "CAST(0 AS BIGINT)"
QUERY(draft_of_actor, "SELECT d.id, COALESCE(d.base_post_id, 0), " NONE_STORED STORED
                      " FROM drafts d WHERE d.user_id = :me AND d.case_id = :case AND d.channel = :channel");
QUERY(draft_insert, "INSERT INTO drafts (user_id, case_id, channel, base_post_id, created_at, updated_at, "
                    "file_ids, parameters, contents) "
                    "VALUES (:me, :case, :channel, CAST(:base AS BIGINT), :now, :now, :files, :parameters, "
                    ":contents) RETURNING id");
QUERY(draft_update, "UPDATE drafts SET base_post_id = CAST(:base AS BIGINT), updated_at = :now, "
                    "file_ids = :files, parameters = :parameters, contents = :contents WHERE id = :id");
QUERY(drafts_prune, "DELETE FROM drafts WHERE id IN (SELECT d.id FROM drafts d WHERE d.user_id = :me "
                    "ORDER BY d.updated_at DESC, d.id DESC LIMIT 1000 OFFSET :most)");
QUERY(draft_delete, "DELETE FROM drafts WHERE id = :id");

QUERY(new_case_draft_of_actor, "SELECT d.id, " NONE_STORED ", COALESCE(d.requester_id, 0)" STORED
                               " FROM new_case_drafts d WHERE d.user_id = :me");
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

int draft_load(struct work *w, int64_t case_id, enum draft_channel channel, struct draft *out) {
    struct stmt *row;
    *out = (struct draft){0};
    int rc =
        db_row(w->conn, table_of(case_id)->of_actor,
               BINDS(B_INT("me", w->actor.user_id), B_INT("case", case_id), B_INT("channel", channel)), &row);
    if (rc <= 0) return rc;
    *out = (struct draft){.id = col_int(row, 0),
                          .case_id = case_id,
                          .channel = channel,
                          .base_post_id = col_int(row, 1),
                          .requester_id = col_int(row, 2),
                          .created_at = col_int(row, 3),
                          .updated_at = col_int(row, 4),
                          .file_ids = draft_text(w, row, 5),
                          .parameters = draft_text(w, row, 6),
                          .contents = draft_text(w, row, 7)};
    stmt_end(row);
    return 1;
}

int draft_lock(struct work *w, int64_t case_id, enum draft_channel channel, struct draft *out) {
    TRY(db_lock(w->conn, str_fmt(w->arena, "drafts of %" PRId64 " in %" PRId64, w->actor.user_id, case_id)));
    return draft_load(w, case_id, channel, out);
}

bool draft_is_empty(const struct draft *d) {
    bool is_begun = d->case_id == 0 && (d->requester_id || d->parameters.p);
    return str_trim(d->contents).n == 0 && d->file_ids.p == NULL && !is_begun;
}

bool draft_is_same(const struct draft *a, const struct draft *b) {
    return a->base_post_id == b->base_post_id && a->requester_id == b->requester_id &&
           str_eq(a->contents, b->contents) && str_eq(a->parameters, b->parameters) &&
           str_eq(a->file_ids, b->file_ids);
}

static int draft_insert_new(struct work *w, const struct bind *binds, struct draft *d) {
    TRY(db_insert(w->conn, table_of(d->case_id)->insert, binds, &d->id));
    if (d->case_id == 0) return 0;
    return db_exec(w->conn, &drafts_prune, BINDS(B_INT("me", w->actor.user_id), B_INT("most", LIMIT_DRAFTS)));
}

int draft_save(struct work *w, const struct draft *now, struct draft *d) {
    d->id = now ? now->id : 0;
    d->created_at = now ? now->created_at : w->now;
    d->updated_at = now && now->updated_at >= w->now ? now->updated_at + 1 : w->now;
    const struct bind *binds =
        BINDS(B_INT("id", d->id), B_INT("me", w->actor.user_id), B_INT("case", d->case_id),
              B_INT("channel", d->channel), B_ID("base", d->base_post_id), B_ID("requester", d->requester_id),
              B_INT("now", d->updated_at), B_TEXT("files", d->file_ids), B_TEXT("parameters", d->parameters),
              B_TEXT("contents", d->contents));
    if (d->file_ids.p) TRY(files_outlive(w, d->file_ids, w->now + DRAFT_KEPT));
    return now ? db_exec(w->conn, table_of(d->case_id)->update, binds) : draft_insert_new(w, binds, d);
}

int draft_drop(struct work *w, const struct draft *d) {
    TRY(db_exec(w->conn, table_of(d->case_id)->delete, BINDS(B_INT("id", d->id))));
    return d->file_ids.p ? files_released(w, d->file_ids) : 0;
}

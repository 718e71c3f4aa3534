#include "core/cases/draft.h"

#include "base/limits.h"
#include "core/desk/file.h"

#include <inttypes.h>

#define DRAFT_OF_ACTOR " FROM drafts d WHERE d.user_id = :me AND d.case_id = :case AND d.channel = :channel"
QUERY(draft_of_actor, "SELECT d.id, COALESCE(d.base_post_id, 0), d.created_at, d.updated_at, d.file_ids, "
                      "d.parameters, d.contents" DRAFT_OF_ACTOR);
QUERY(draft_insert, "INSERT INTO drafts (user_id, case_id, channel, base_post_id, created_at, updated_at, "
                    "file_ids, parameters, contents) "
                    "VALUES (:me, :case, :channel, CAST(:base AS BIGINT), :now, :now, :files, :parameters, "
                    ":contents) RETURNING id");
QUERY(draft_update, "UPDATE drafts SET base_post_id = CAST(:base AS BIGINT), updated_at = :now, "
                    "file_ids = :files, parameters = :parameters, contents = :contents WHERE id = :id");
QUERY(drafts_prune, "DELETE FROM drafts WHERE id IN (SELECT d.id FROM drafts d WHERE d.user_id = :me "
                    "ORDER BY d.updated_at DESC, d.id DESC LIMIT 1000 OFFSET :most)");
QUERY(draft_delete, "DELETE FROM drafts WHERE id = :id");

static struct str draft_text(struct work *w, struct stmt *row, int column) {
    return str_dup(w->arena, col_text(row, column));
}

int draft_load(struct work *w, int64_t case_id, enum draft_channel channel, struct draft *out) {
    struct stmt *row;
    *out = (struct draft){0};
    int rc =
        db_row(w->conn, &draft_of_actor,
               BINDS(B_INT("me", w->actor.user_id), B_INT("case", case_id), B_INT("channel", channel)), &row);
    if (rc <= 0) return rc;
    *out = (struct draft){.id = col_int(row, 0),
                          .case_id = case_id,
                          .channel = channel,
                          .base_post_id = col_int(row, 1),
                          .created_at = col_int(row, 2),
                          .updated_at = col_int(row, 3),
                          .file_ids = draft_text(w, row, 4),
                          .parameters = draft_text(w, row, 5),
                          .contents = draft_text(w, row, 6)};
    stmt_end(row);
    return 1;
}

int draft_lock(struct work *w, int64_t case_id, enum draft_channel channel, struct draft *out) {
    TRY(db_lock(w->conn, str_fmt(w->arena, "drafts of %" PRId64 " in %" PRId64, w->actor.user_id, case_id)));
    return draft_load(w, case_id, channel, out);
}

bool draft_is_empty(const struct draft *d) { return str_trim(d->contents).n == 0 && d->file_ids.p == NULL; }

bool draft_is_same(const struct draft *a, const struct draft *b) {
    return a->base_post_id == b->base_post_id && str_eq(a->contents, b->contents) &&
           str_eq(a->parameters, b->parameters) && str_eq(a->file_ids, b->file_ids);
}

static int draft_insert_new(struct work *w, const struct bind *binds, struct draft *d) {
    TRY(db_insert(w->conn, &draft_insert, binds, &d->id));
    return db_exec(w->conn, &drafts_prune, BINDS(B_INT("me", w->actor.user_id), B_INT("most", LIMIT_DRAFTS)));
}

int draft_save(struct work *w, const struct draft *now, struct draft *d) {
    d->id = now ? now->id : 0;
    d->created_at = now ? now->created_at : w->now;
    d->updated_at = now && now->updated_at >= w->now ? now->updated_at + 1 : w->now;
    const struct bind *binds = BINDS(
        B_INT("id", d->id), B_INT("me", w->actor.user_id), B_INT("case", d->case_id),
        B_INT("channel", d->channel), B_ID("base", d->base_post_id), B_INT("now", d->updated_at),
        B_TEXT("files", d->file_ids), B_TEXT("parameters", d->parameters), B_TEXT("contents", d->contents));
    if (d->file_ids.p) TRY(files_outlive(w, d->file_ids, w->now + DRAFT_KEPT));
    return now ? db_exec(w->conn, &draft_update, binds) : draft_insert_new(w, binds, d);
}

int draft_drop(struct work *w, const struct draft *d) {
    TRY(db_exec(w->conn, &draft_delete, BINDS(B_INT("id", d->id))));
    return d->file_ids.p ? files_released(w, d->file_ids) : 0;
}

/* Rows of earlier runs that the source has no more. Conversations in its trash go into the trash here, where
 * staff can restore them. Other rows stay and are reported, because a list that an account sees in part would
 * delete them. */
#include "transfer/deskapi_parts.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "core/people/tag.h"
#include "transfer/imported.h"

int take_api_trash(struct foreign *f, const struct json *item) {
    return f->maps_ids ? load_trashed(f, item_int(item, "id")) : 0;
}

#define CARRIED(table, kind)                                                                   \
    "SELECT i.foreign_id, i.here_id FROM imported_ids i JOIN " table " t ON t.id = i.here_id " \
    "WHERE i.source_id = :source AND i.kind = '" kind "' AND "

/* ---- tags ------------------------------------------------------------------------------------ */

QUERY(tag_here, "SELECT id FROM tags WHERE name_key = :key AND gone = 0");
QUERY(tags_carried, CARRIED("tags", "tag") "t.gone = 0");
QUERY(tags_carried_here, "SELECT foreign_id, here_id FROM imported_ids "
                         "WHERE source_id = :source AND kind = 'tag'");

int take_api_tag(struct foreign *f, const struct json *item) {
    struct str key = tag_key(f->item, json_member_text(item, "name"));
    int64_t here;
    int found = key.p ? db_int(f->conn, &tag_here, BINDS(B_TEXT("key", key)), &here) : 0;
    return found == 1 ? imported_keep(f, "tag", item_int(item, "id"), here, 0) : found;
}

/* A tag may have been deleted and made once more, with another id. */
int report_api_tags_gone(struct foreign *f, const struct foreign_part *part) {
    struct foreign_ids here = {0};
    int rc;
    (void)part;
    DB_ROWS(rc, f->conn, &tags_carried_here, BINDS(B_INT("source", f->source_id)), row)
    if (foreign_ids_has(&f->seen, col_int(row, 0))) foreign_ids_add(f->memory, &here, col_int(row, 1));
    TRY(rc);
    DB_ROWS(rc, f->conn, &tags_carried, BINDS(B_INT("source", f->source_id)), row)
    if (!foreign_ids_has(&f->seen, col_int(row, 0)) && !foreign_ids_has(&here, col_int(row, 1)))
        foreign_skip(f,
                     "tags that were deleted or merged at the source: they stay on rows that did not change",
                     col_int(row, 0));
    return rc < 0 ? rc : 0;
}

/* ---- other rows ------------------------------------------------------------------------------ */

QUERY(organizations_carried, CARRIED("organizations", "organization") "t.deleted_at IS NULL");
QUERY(roles_carried, CARRIED("roles", "role") "t.is_system = 0");
QUERY(teams_carried, CARRIED("teams", "team") "t.deleted_at IS NULL");
/* a disabled person stands for one who was deleted before the first run */
QUERY(people_carried, CARRIED("users", "user") "t.deleted_at IS NULL AND t.is_enabled = 1");
QUERY(articles_carried, CARRIED("articles", "article") "t.deleted_at IS NULL");
QUERY(cases_carried, CARRIED("cases", "case") "t.state = 1");

static const struct {
    const char *part;
    const struct query *carried;
    const char *what;
} kinds[] = {
    {"organizations", &organizations_carried, "organizations that are gone at the source: they stay here"},
    {"roles", &roles_carried, "roles that are gone at the source: they stay here"},
    {"teams", &teams_carried, "teams that are gone at the source: they stay here"},
    {"users", &people_carried, "people who are gone at the source: they stay here, and can log in"},
    {"articles", &articles_carried, "articles that are gone at the source: they stay here"},
    {"cases", &cases_carried, "conversations that were deleted or merged at the source: they stay here"},
};

/* A conversation that the source does not list may be in its trash. */
static const char *gone_text(const struct foreign *f, size_t kind) {
    return kinds[kind].carried == &cases_carried && foreign_is_unlisted(f, "trash")
               ? "conversations that were deleted, merged or put into the trash at the source: they stay here"
               : kinds[kind].what;
}

int report_api_gone(struct foreign *f, const struct foreign_part *part) {
    size_t i = 0;
    int rc;
    while (i < sizeof kinds / sizeof *kinds && strcmp(kinds[i].part, part->name) != 0) i++;
    assert(i < sizeof kinds / sizeof *kinds);
    DB_ROWS(rc, f->conn, kinds[i].carried, BINDS(B_INT("source", f->source_id)), row)
    if (foreign_ids_add(f->memory, &f->seen, col_int(row, 0)))
        foreign_skip(f, gone_text(f, i), col_int(row, 0));
    return rc < 0 ? rc : 0;
}

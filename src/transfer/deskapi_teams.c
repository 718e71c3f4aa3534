/* Teams. Their members come with the people.
 *
 * imported_ids.carried has the title and the business hours that the last run gave. A further run gives the
 * one that the source has changed since, unless this desk has changed it, too: then it stays. */
#include "base/error.h"
#include "transfer/deskapi_parts.h"
#include "transfer/foreign_row.h"
#include "transfer/imported.h"

static const struct api_kind_here teams_here = {"team", "/teams", "teams", NULL};

const struct foreign_shape api_team = {
    "teams",
    "_id _updated _fetched _posts _permissions _extra resource_type resource_url updated_at member_count",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_team, id)},
     {"title", .is = MEMBER_TEXT, INTO(foreign_team, name)},
     {"legacy_id", .is = MEMBER_TEXT, INTO(foreign_team, legacy_id)},
     {"created_at", .is = MEMBER_TIME, INTO(foreign_team, created_at)},
     {"businesshour", .is = MEMBER_OBJECT}}};

/* ---- teams of an earlier run ----------------------------------------------------------------- */

QUERY(team_now,
      "SELECT title, COALESCE(businesshour_id, 0) FROM teams WHERE id = :id AND deleted_at IS NULL");

static struct str team_title(struct foreign *f, const struct foreign_team *t) {
    return foreign_line(f, t->name, "Without name");
}

static int team_carried(struct foreign *f, const struct foreign_team *t) {
    struct str title = json_text(f->item, json_string(f->item, team_title(f, t)));
    return imported_carry(
        f, foreign_team.kind, t->id,
        str_fmt(f->item, "{\"title\":%.*s,\"hours\":%lld}", (int)title.n, title.p, (long long)t->hours_id));
}

struct team_here {
    struct str title;
    int64_t hours; /* 0: the default ones */
};

static int team_find(struct foreign *f, int64_t id, struct team_here *out) {
    struct stmt *row;
    int rc = db_row(f->conn, &team_now, BINDS(B_INT("id", id)), &row);
    if (rc != 1) return rc;
    *out = (struct team_here){str_dup(f->item, col_text(row, 0)), col_int(row, 1)};
    stmt_end(row);
    return 1;
}

/* The values that the source has changed. *kept: this desk has changed one of them, too. */
static struct json *team_changes(struct foreign *f, const struct foreign_team *t, const struct json *given,
                                 const struct team_here *now, bool *kept) {
    struct json *body = json_new(f->item, JSON_OBJECT);
    struct str title = team_title(f, t), title_given = json_member_text(given, "title");
    int64_t hours_given = item_int(given, "hours");
    *kept = false;
    if (!str_eq(title, title_given) && !str_eq(title, now->title)) {
        if (str_eq(now->title, title_given)) api_put_text(f, body, "title", title);
        else *kept = true;
    }
    if (t->hours_id == hours_given || t->hours_id == now->hours) return body;
    if (now->hours != hours_given) *kept = true;
    else if (t->hours_id) api_put_id(f, body, "businesshour_id", t->hours_id);
    else api_put(body, "businesshour_id", json_new(f->item, JSON_NULL));
    return body;
}

static int team_follow(struct foreign *f, const struct json *item, const struct foreign_team *t,
                       const struct imported *row) {
    const struct json *given = imported_given(f, row);
    struct team_here now = {0};
    bool kept = given == NULL;
    int found = team_find(f, row->here, &now), rc = 1;
    TRY(found);
    struct json *body = found && given ? team_changes(f, t, given, &now, &kept) : NULL;
    if (!found) foreign_skip(f, "changes of teams that were deleted here", t->id);
    else if (!given)
        foreign_skip(f, "changes of teams, because the first run did not remember their titles", t->id);
    else if (kept)
        foreign_skip(f, "changes of teams that were changed here, too: they stay as they are here", t->id);
    if (body && body->count) rc = api_row_change(f, &teams_here, item, body, row->here);
    if (rc <= 0) return rc;
    TRY(imported_keep(f, foreign_team.kind, t->id, row->here, f->changed_at));
    return team_carried(f, t);
}

int take_api_team(struct foreign *f, const struct json *item) {
    struct foreign_team t = {0};
    struct imported row;
    foreign_fill(f, &api_team, item, 0, &t);
    t.created_at = time_past(f, t.created_at, t.id);
    /* a team without hours of its own shows the default ones */
    int64_t hours = api_reference(item, "businesshour");
    if (foreign_term(f, "default hours", hours, (struct str){0}) <= 0)
        t.hours_id = api_here(f, "business_hour", hours);
    int known = f->maps_ids ? imported_find(f, foreign_team.kind, t.id, &row) : 0;
    TRY(known);
    if (known && row.changed_at != f->changed_at) return team_follow(f, item, &t, &row);
    int loaded = load_team(f, &t);
    return loaded > 0 ? team_carried(f, &t) : loaded;
}

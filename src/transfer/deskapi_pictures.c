/* Pictures of people. Of a person without one, another deskd draws the initials, as SVG.
 *
 * imported_ids has a row of kind "user_picture" for each person with a picture of the source: the time that
 * the picture has here, avatar_updated_at. So a further run finds out whether this desk has changed it. */
#include "core/people/avatar.h"
#include "files/picture.h"
#include "transfer/deskapi_parts.h"
#include "transfer/foreign_row.h"

#include <stdio.h>

#include "base/disk.h"
#include "base/error.h"
#include "transfer/api_items.h"
#include "transfer/imported.h"

#define PICTURE "user_picture"

QUERY(picture_now, "SELECT COALESCE(u.avatar_updated_at, 0), CASE WHEN a.user_id IS NULL THEN 0 ELSE 1 END "
                   "FROM users u LEFT JOIN avatars a ON a.user_id = u.id WHERE u.id = :id");

struct picture_here {
    int64_t at; /* of the last change; 0: there was none */
    bool is_there;
};

static int picture_find(struct foreign *f, int64_t user, struct picture_here *out) {
    struct stmt *row;
    *out = (struct picture_here){0};
    int rc = db_row(f->conn, &picture_now, BINDS(B_INT("id", user)), &row);
    if (rc != 1) return rc;
    *out = (struct picture_here){col_int(row, 0), col_int(row, 1) != 0};
    stmt_end(row);
    return 1;
}

/* Returns 1 if the picture here is not the one that the last run has left, 0 or a negative error. An earlier
 * version of this program remembered none, but its pictures are not younger than the row of the source. */
static int picture_differs(struct foreign *f, int64_t id, const struct picture_here *now) {
    struct imported row;
    int found = f->carried_at ? imported_find(f, PICTURE, id, &row) : 0;
    if (found < 0 || f->carried_at == 0) return found;
    return found ? now->at != row.changed_at : now->at > f->carried_at;
}

static bool is_drawing(const char *path) {
    const char *reason;
    char begins[4] = "";
    FILE *file = plain_stream(path, &reason);
    if (!file) return false;
    size_t n = fread(begins, 1, sizeof begins, file);
    fclose(file);
    return n == sizeof begins && memcmp(begins, "<svg", sizeof begins) == 0;
}

/* Reads the picture of the file, scaled as an uploaded one. Returns 1, 0 if it can't be read, or an error. */
static int picture_read(struct foreign *f, const char *path, struct str *type, struct str *data) {
    struct picture picture;
    if (picture_look(path, &picture) != 1 || !picture.type) return 0;
    *type = picture.type == PICTURE_JPEG ? S("image/jpeg") : S("image/png");
    return picture_square(path, AVATAR_SIDE, f->item, &picture, data) > 0;
}

/* data n 0: the person has no picture any more. */
static int picture_give(struct foreign *f, int64_t id, int64_t user, int64_t at, struct str type,
                        struct str data) {
    struct work w;
    struct picture_here now;
    foreign_work(f, &w, at < f->now ? at : f->now, foreign_owner(f));
    foreign_made(f, data.n ? "pictures of people" : "pictures removed", 1);
    int rc = data.n ? avatar_set(&w, user, type, data) : avatar_clear(&w, user);
    if (rc >= 0) rc = picture_find(f, user, &now);
    if (rc >= 0) rc = imported_keep(f, PICTURE, id, user, now.at);
    return foreign_done(f, &w, rc);
}

int load_api_picture(struct foreign *f, const struct json *item) {
    struct author person;
    struct picture_here now;
    struct str type = {0}, data = {0};
    int64_t id = item_int(item, "id"), at = item_time(item, "avatar_updated_at");
    const char *path = str_fmt(f->item, API_PICTURE, f->from, id, at).p;
    if (at == 0 || at < f->carried_at) return 0;
    int found = foreign_found_person(f, id, &person);
    if (found <= 0) return found;
    TRY(picture_find(f, person.user_id, &now));
    bool drawn = is_drawing(path);
    if (drawn && !now.is_there) return 0;
    if (!drawn && picture_read(f, path, &type, &data) <= 0) {
        foreign_skip(f, "pictures of people that can't be read", id);
        return 0;
    }
    int differs = picture_differs(f, id, &now);
    TRY(differs);
    if (!differs) return picture_give(f, id, person.user_id, at, type, data);
    foreign_skip(f, "pictures of people that were changed here, too: they stay as they are here", id);
    return 0;
}

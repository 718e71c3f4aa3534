#include "res/groups.h"

#include "api/rows/view.h"

const struct field no_fields[] = {{0}};

const struct field row_times[] = {
    {"created_at", F_TIME, READONLY, .doc = "Time of creation."},
    {"updated_at", F_TIME, READONLY, .doc = "Time of the last change."},
    {0},
};

/* Nothing needs an escape: an installation is hex digits. */
void write_realtime_channel(struct view *v, struct str rows, int64_t id) {
    char number[INT_TEXT];
    const struct str pieces[] = {S("\"presence-"), v->c->work.desk->installation, S("@v1_"), rows,
                                 S("_"),           str_int(number, id),           S("\"")};
    jw_pieces(&v->w, pieces, sizeof pieces / sizeof *pieces);
}

static void write_download_all(struct view *v, const struct row *row, const struct value *own) {
    const struct value *list = row_cell(row, "attachments");
    (void)own;
    if (list->type != V_ROWS || list->i < 2) {
        jw_null(&v->w);
        return;
    }
    JW_CAT(&v->w, v->c->work.desk->base_url, S("/api/v1/"), row_cell(list->rows, "place")->s,
           S("/attachments/download/all"));
}

const struct field download_all[] = {
    {"download_all", F_COMPUTED, READONLY, .render = write_download_all,
     .doc = "Address that downloads all attached files as a ZIP. Null if there are fewer than two.",
     .example = "null"},
    {0},
};

const struct field attachments[] = {
    {"attachments", F_ROWS, READONLY, .ref = "attachment", .owned_by = "post_id", .doc = "Attached files."},
    {"*", .group = download_all},
    {0},
};

const struct field import_args[] = {
    {"partial_import", F_BOOL, .doc = "True keeps the valid records even if others are invalid."},
    {0},
};

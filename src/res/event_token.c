/* Event tokens. Admins manage them. Replies show the token, because its address is configured in another
 * system. */
#include "core/programs/event_token.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/desk/file.h"
#include "core/words.h"
#include "files/content.h"
#include "res/groups.h"
#include "res/upload.h"

#define MANAGE_APPS "apps.manage"

/* ---- members --------------------------------------------------------------------------------- */

static void render_event_token(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    jw_str(&v->w, event_token_open(&v->c->work, own->s));
}

static void render_webhook_url(struct view *v, const struct row *row, const struct value *own) {
    struct str token = event_token_open(&v->c->work, own->s);
    (void)row;
    if (token.p) JW_CAT(&v->w, v->c->work.desk->base_url, S("/api/v1/webhook/"), token, S("/incoming"));
    else jw_null(&v->w);
}

static const struct field token_texts[] = {
    {"label", F_TEXT, REQUIRED, .doc = "Name of the token.", .example = "\"Shop\""},
    {"description", F_LONG, NULLABLE, .doc = "Purpose of the token.", .example = "\"Orders of the shop\""},
    {"channel", F_TEXT, CREATE_ONLY, .initial = "EVENT", .max = 64,
     .doc = "Channel of the events: any text. Replies show it; nothing else depends on it. It can't be "
            "changed.",
     .example = "\"EVENT\""},
    {0},
};

static const struct field token_switch[] = {
    {"is_enabled", F_BOOL, 0, .initial = "1", .doc = "False: the address answers 404."},
    {0},
};

static const struct field token_fields[] = {
    {"*", .group = token_texts},
    {"token", F_COMPUTED, READONLY | SECRET, .column = "t.token_sealed", .render = render_event_token,
     .doc = "The token. Everyone who has it may report events.", .example = "\"dke_5f0c...\""},
    {"webhook_url", F_COMPUTED, READONLY | SECRET, .column = "t.token_sealed", .render = render_webhook_url,
     .doc = "Address to which another system posts events. It contains the token.",
     .example = "\"https://desk.example.com/api/v1/webhook/dke_5f0c.../incoming\""},
    {"icon", F_REF, READONLY, .ref = "event_token_icon",
     .column = "CASE WHEN t.icon_file_id IS NOT NULL THEN t.id END",
     .doc = "Picture of the token; null: none."},
    {"*", .group = token_switch},
    {"lastused_at", F_TIME, READONLY,
     .doc = "Time of the last events, up to 15 seconds too early. Null: there "
            "were none."},
    {"*", .group = row_times},
    {0},
};

/* ---- icon ------------------------------------------------------------------------------------ */

/* The result of .prepare. */
struct icon {
    struct picture_input picture;
    struct upload upload; /* .file NULL: none came as a part */
};

static const struct picture_form icon_form = {"icon", "icon_file_id", false, THUMBNAIL_BOX,
                                              picture_thumbnail};

static int icon_keep(struct call *c, const struct http_file *f, struct icon *out) {
    const struct picture *picture = &out->picture.picture;
    upload_read(c, f, &out->upload); /* the handler reports its problems */
    struct file_new *row = &out->upload.row;
    row->width = picture->width;
    row->height = picture->height;
    row->picture_type = (int)picture->type;
    return content_keep(c->work.arena, c->work.desk->files, row->sha256, f->path.p, row->size);
}

static int icon_prepare(struct call *c) {
    const struct http_file *f = call_file(c, "icon");
    struct icon *icon = c->prepared = ARENA_NEW(c->work.arena, struct icon);
    TRY(picture_input_read(c, &icon_form, &icon->picture));
    return f && icon->picture.wrong == NULL ? icon_keep(c, f, icon) : 0;
}

static int check_icon_part(struct call *c, struct in *in) {
    const struct icon *icon = c->prepared;
    struct upload again;
    TRY(picture_input_check(c, in, &icon->picture));
    int problems = c->work.problem_count;
    upload_read(c, in->file, &again);
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

static int check_icon_id(struct call *c, struct in *in) {
    const struct icon *icon = c->prepared;
    int64_t *own;
    TRY(picture_input_check(c, in, &icon->picture));
    int n = files_own(&c->work, json_ids(c->work.arena, &in->value.i, 1), &own);
    if (n < 0) return fail(&c->work, error_of_result(n));
    return n ? 0
             : fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                       "There is no such file of yours, or it has expired. Upload it again.");
}

static int store_icon(struct call *c, const struct in *in, int64_t id) {
    const struct icon *icon = c->prepared;
    int64_t file = in->value.i;
    if (in->file) {
        TRY(content_hold(&c->work, icon->upload.row.sha256, in->file->path.p, icon->upload.row.size));
        TRY(file_create(&c->work, &icon->upload.row, &file));
    }
    return event_token_set_icon(&c->work, id, file);
}

/* ---- input ----------------------------------------------------------------------------------- */

static const struct field token_input[] = {
    {"*", .group = token_texts},
    {"icon", F_FILE, INPUT_ONLY, .column = "", .check = check_icon_part, .store = store_icon,
     .doc = "Picture: JPEG, PNG or GIF."},
    {"icon_file_id", F_INT, INPUT_ONLY | NULLABLE, .column = "", .min = 1, .max = INT64_MAX,
     .check = check_icon_id, .store = store_icon,
     .doc = "Id of an uploaded picture (POST /files), in place of icon. Null removes the icon."},
    {"*", .group = token_switch},
    {0},
};

static void event_token_visible(struct work *w, struct branches *out) {
    out->all = w->actor.rank >= ROLE_ADMIN;
}

/* ---- handlers -------------------------------------------------------------------------------- */

static int post_event_token(struct call *c) {
    TRY(api_input(c));
    const struct event_token_new n = {.label = in_text(c, "label"),
                                      .description = in_text(c, "description"),
                                      .channel = in_text(c, "channel"),
                                      .is_enabled = in_int(c, "is_enabled") != 0};
    TRY(event_token_create(&c->work, &n, &c->id));
    TRY(api_record_created(c));
    TRY(api_keep(c));
    return api_reply(c);
}

static int delete_event_tokens(struct call *c) {
    struct str icons;
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(event_tokens_icons(&c->work, api_ids(c), &icons));
    TRY(api_remove(c));
    TRY(files_released(&c->work, icons));
    return api_reply(c);
}

#define BY_TOKENS .bearer = "configuration"
#define ICON                                                                                  \
    .input = token_input, .body = FILES_TAKEN, .prepare = icon_prepare, .lane = LANE_PICTURE, \
    .lane_for = "icon,icon_file_id"

static const struct route token_routes[] = {
    {GET, "/events/tokens", AD, "", LIST, api_list, BY_TOKENS, .summary = "List event tokens"},
    {GET, "/events/tokens/:id", AD, "", ONE, api_get, BY_TOKENS, .summary = "Get an event token"},
    {POST, "/events/tokens", AD, "", ONE, post_event_token, BY_TOKENS, ICON, .permission = MANAGE_APPS,
     .summary = "Create an event token"},
    {PUT, "/events/tokens/:id", AD, "", ONE, api_update, BY_TOKENS, ICON, .permission = MANAGE_APPS,
     .summary = "Update an event token"},
    {PUT, "/events/tokens", AD, "", COUNT, api_update, BY_TOKENS, .input = token_switch,
     .permission = MANAGE_APPS, .summary = "Enable or disable several event tokens"},
    {DELETE, "/events/tokens/:id", AD, "", NONE, delete_event_tokens, BY_TOKENS, .permission = MANAGE_APPS,
     .summary = "Delete an event token", .doc = "Its events stay."},
    {DELETE, "/events/tokens", AD, "", COUNT, delete_event_tokens, BY_TOKENS, .permission = MANAGE_APPS,
     .summary = "Delete several event tokens", .doc = "Their events stay."},
    {0},
};

const struct resource event_token_resource = {.type = "token",
                                              .sample = "",
                                              .scope = "configuration",
                                              .title = "Event tokens",
                                              .doc =
                                                  "Addresses to which other systems report events of people.",
                                              .url = "events/tokens/:id",
                                              .table = "event_tokens",
                                              .fields = token_fields,
                                              .routes = token_routes,
                                              .visible = event_token_visible,
                                              .changes_unseen = true};

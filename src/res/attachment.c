/* Attachments. Everybody who sees the message, the note or the article may read them. */
#include "res/attachment.h"

#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "api/rows/visible.h"
#include "base/limits.h"
#include "core/cases/attachment.h"
#include "core/helpcenter/article_attachment.h"
#include "core/words.h"
#include "files/content.h"
#include "files/picture.h"
#include "files/zip.h"
#include "res/help_center.h"
#include "res/file_content.h"

extern const struct resource attachment_resource, article_attachment_resource, event_token_icon_resource;

/* ---- given with a post ----------------------------------------------------------------------- */

int check_file_ids(struct call *c, struct in *in) {
    int64_t *own;
    int n = files_own(&c->work, json_ids(c->work.arena, in->value.ids, (size_t)in->value.i), &own);
    if (n < 0) return fail(&c->work, error_of_result(n));
    return in_among(c, in, own, n, "There is no such file of yours, or it has expired. Upload it again.");
}

const struct field attachment_input[] = {
    {"attachment_file_ids", F_IDS, CREATE_ONLY | INPUT_ONLY | BY_HANDLER, .column = "",
     .check = check_file_ids, .doc = "Ids of your uploaded files to attach.", .example = "[7]"},
    {0},
};

/* A caller who does not see the parent stores nothing. The handler reports refusals. */
int attachments_prepare(struct call *c) {
    struct uploads u;
    if (c->http->files == NULL || api_of(c) < 0 || uploads_read(c, &u) < 0 || u.count > LIMIT_ATTACHMENTS)
        return 0;
    return uploads_keep(c, &u);
}

bool attachments_need_prepare(const struct call *c) { return c->http->files != NULL; }

int attachments_read(struct call *c, struct attached *out) {
    int rc = api_input(c);
    uploads_read(c, &out->uploads);
    const struct in *given_ids = in(c, "attachment_file_ids");
    int given = given_ids->value.type == V_IDS ? (int)given_ids->value.i : 0;
    out->count = given + out->uploads.count;
    out->ids = arena_array(c->work.arena, (size_t)out->count + 1, sizeof *out->ids);
    if (given) memcpy(out->ids, given_ids->value.ids, (size_t)given * sizeof *out->ids);
    if (out->count > LIMIT_ATTACHMENTS)
        fail_field(&c->work, ERR_FIELD_INVALID, S("attachment_file_ids"),
                   "At most %d files can be attached, parts of the body included.", LIMIT_ATTACHMENTS);
    return failed(&c->work) ? -(int)failure(&c->work) : rc;
}

struct str attached_contents(struct call *c, const struct attached *a) {
    const struct in *sent = in(c, "contents");
    bool absent = sent->json == NULL || sent->json->type == JSON_NULL;
    if (sent->value.type == V_TEXT) return sent->value.s;
    if (a->count == 0 && (absent || sent->json->type == JSON_STRING))
        in_fail(c, "contents", absent ? ERR_FIELD_REQUIRED : ERR_FIELD_EMPTY, NULL);
    return S("");
}

int attachments_store(struct call *c, struct attached *a) {
    return uploads_create(c, &a->uploads, a->ids + a->count - a->uploads.count);
}

/* ---- the table ------------------------------------------------------------------------------- */

#define PLACE                                                                                                \
    "COALESCE(" PLACE_OF_POST("t.post_id") ", (SELECT CASE WHEN n.case_id IS NOT NULL "                      \
                                           "THEN 'cases/' || n.case_id WHEN n.owner_user_id IS NOT NULL "    \
                                           "THEN 'users/' || n.owner_user_id "                               \
                                           "ELSE 'organizations/' || n.organization_id END || '/notes/' || " \
                                           "n.id FROM notes n WHERE n.id = t.post_id))"

struct str attachment_address(struct view *v, const struct row *row, const char *end) {
    const struct str base = v->c->work.desk->base_url;
    char id[INT_TEXT];
    return STR_CAT(v->c->work.arena, base, S("/api/v1/"), row_cell(row, "place")->s, S("/attachments/"),
                   str_int(id, row->id), str_of(end));
}

static void attachment_url(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    jw_str(&v->w, attachment_address(v, row, "/url"));
}

static void attachment_download(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    jw_str(&v->w, attachment_address(v, row, "/download"));
}

static bool has_thumbnail(const struct picture *p) {
    return p->type && (int64_t)p->width * p->height <= LIMIT_PIXELS;
}

/* A thumbnail has no size before it is made, so `size` is null. */
static void write_thumbnails(struct view *v, const struct row *row, const struct value *own) {
    struct picture p = {(enum picture_type)row_cell(row, "picture_type")->i, (int)row_cell(row, "width")->i,
                        (int)row_cell(row, "height")->i};
    struct picture small = picture_within(&p, THUMBNAIL_BOX);
    (void)own;
    jw_array(&v->w);
    if (has_thumbnail(&p)) {
        jw_object(&v->w);
        jw_key(&v->w, S("name"));
        render_file_name(v, row, row_cell(row, "name"));
        jw_key(&v->w, S("size"));
        jw_null(&v->w);
        jw_key(&v->w, S("width"));
        jw_int(&v->w, small.width);
        jw_key(&v->w, S("height"));
        jw_int(&v->w, small.height);
        jw_key(&v->w, S("type"));
        jw_str(&v->w, thumbnail_type(&p));
        jw_key(&v->w, S("url"));
        jw_str(&v->w, attachment_address(v, row, "/thumbnail"));
        jw_key(&v->w, S("created_at"));
        jw_time(&v->w, row_cell(row, "created_at")->i);
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

#define EXAMPLE(end) "\"http://127.0.0.1:8080/api/v1/conversations/1/messages/3/attachments/2/" end "\""

/* The members beside `place`. */
static const struct field attachment_members[] = {
    {"picture_type", F_INT, HIDDEN, .column = "f.picture_type"},
    {"name", F_TEXT, READONLY, .column = "f.name", .render = render_file_name, .doc = "Name of the file.",
     .example = "\"invoice.pdf\""},
    {"size", F_INT, READONLY, .column = "f.size", .doc = "Size in bytes.", .example = "48210"},
    {"width", F_INT, READONLY, .column = "f.width",
     .doc = "Width of a picture in pixels. 0 if the file is no picture.", .example = "0"},
    {"height", F_INT, READONLY, .column = "f.height",
     .doc = "Height of a picture in pixels. 0 if the file is no picture.", .example = "0"},
    {"type", F_TEXT, READONLY, .column = "f.content_type", .doc = "Content type that the uploader stated.",
     .example = "\"application/pdf\""},
    {"content_id", F_TEXT, READONLY,
     .doc = "The HTML shows the file as cid:<content_id>. Null if it does not."},
    {"alt", F_TEXT, READONLY, .doc = "Text in the HTML that replaces the picture. Null if there is none."},
    {"url", F_COMPUTED, READONLY, .render = attachment_url, .doc = "Address that shows the file.",
     .example = EXAMPLE("url")},
    {"url_download", F_COMPUTED, READONLY, .render = attachment_download,
     .doc = "Address that downloads the file.", .example = EXAMPLE("download")},
    {"thumbnails", F_COMPUTED, READONLY, .render = write_thumbnails,
     .doc = "Smaller form of a picture. It is made at each request for its url, so its size in bytes is "
            "null.",
     .example = "[{}]"},
    {"created_at", F_TIME, READONLY, .column = "f.created_at", .doc = "Time of the upload."},
    {0},
};

static const struct field attachment_fields[] = {
    {"place", F_TEXT, HIDDEN, .column = PLACE,
     .doc = "The message or the note, as the beginning of its address."},
    {"*", .group = attachment_members},
    {0},
};

static const struct field article_attachment_fields[] = {
    {"article_id", F_INT, HIDDEN, .column = "t.article_id"},
    {"place", F_TEXT, HIDDEN, .column = "'articles/' || t.article_id",
     .doc = "The article, as the beginning of its address."},
    {"*", .group = attachment_members},
    {0},
};

static const struct field event_token_icon_fields[] = {
    {"place", F_TEXT, HIDDEN, .column = "'events/tokens/' || t.id",
     .doc = "The event token, as the beginning of its address."},
    {"*", .group = attachment_members},
    {0},
};

/* ---- downloads ------------------------------------------------------------------------------- */

#define CONTENT_OF(table, column)                                            \
    "SELECT " CONTENT("f") ", f.picture_type, f.width, f.height FROM " table \
                           " t JOIN files f ON f.id = t." column " WHERE t.id = :id"
#define CONTENTS_OF(table, owner)                                     \
    "SELECT f.name, f.sha256, f.size, f.created_at, t.id FROM " table \
    " t JOIN files f ON f.id = t.file_id WHERE t." owner " = :owner ORDER BY t.sort_order, t.id"
QUERY(content_of_attachment, CONTENT_OF("post_attachments", "file_id"));
QUERY(content_of_article_attachment, CONTENT_OF("article_attachments", "file_id"));
QUERY(content_of_event_token, CONTENT_OF("event_tokens", "icon_file_id"));
QUERY(contents_of_post, CONTENTS_OF("post_attachments", "post_id"));
QUERY(contents_of_article, CONTENTS_OF("article_attachments", "article_id"));

/* Queries for the attachments of a kind of owner. owner, id: places of the path variables. */
static const struct holder {
    const struct resource *home;
    int owner, id;
    const struct query *content, *contents; /* contents: of one owner */
} holders[] = {
    {&attachment_resource, 1, 2, &content_of_attachment, &contents_of_post},
    {&article_attachment_resource, 0, 1, &content_of_article_attachment, &contents_of_article},
    {&event_token_icon_resource, 0, 1, &content_of_event_token, NULL},
};

static const struct holder *holder_of(const struct call *c) {
    const struct holder *h = holders;
    while (h->home != c->home) h++;
    return h;
}

/* Returns 0 if the caller sees the attachment below the parents of the path. Otherwise fails with 404. */
static int attachment_seen(struct call *c, int64_t id) {
    TRY(api_of(c));
    int rc = id ? visible_row(c, c->resource, id, NULL, c->where) : 0;
    return rc < 0 ? rc : rc ? 0 : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
}

/* Reads the attachment of the path, if the caller sees it, and then the input. *p: the picture that it is. */
static int attachment_of_path(struct call *c, struct content *f, struct picture *p) {
    struct stmt *row;
    const struct holder *h = holder_of(c);
    int64_t id = c->vars[h->id].id;
    TRY(attachment_seen(c, id));
    TRY_FOUND(&c->work, db_row(c->work.conn, h->content, BINDS(B_INT("id", id)), &row));
    *f = content_read(c, row);
    *p = (struct picture){(enum picture_type)col_int(row, 4), (int)col_int(row, 5), (int)col_int(row, 6)};
    stmt_end(row);
    return api_input(c);
}

static int send_attachment(struct call *c, bool shown) {
    struct content f;
    struct picture p;
    TRY(attachment_of_path(c, &f, &p));
    return content_send(c, &f, shown);
}

static int get_attachment_url(struct call *c) { return send_attachment(c, true); }
static int get_attachment_download(struct call *c) { return send_attachment(c, false); }

static int send_thumbnail(struct call *c, const struct content *f, const struct picture *p) {
    struct thumbnail made;
    c->etag = (struct str){f->sha256.p + 32, 32}; /* the picture itself has the other half */
    int rc = conditional(c);
    if (rc != 0) return rc < 0 ? rc : 0;
    TRY(call_needs_content(c, f->sha256, f->size));
    TRY_FOUND(&c->work, picture_thumbnail(content_path(c->work.arena, c->work.desk->files, f->sha256).p,
                                          THUMBNAIL_BOX, c->work.arena, p, &made));
    c->raw = true;
    buf_str(&c->out, made.data);
    call_header(c, "Content-Type", made.type);
    call_header(c, "Content-Disposition", content_disposition(c->work.arena, f->name, true));
    content_guards(c);
    return 0;
}

/* Runs in the lane of pictures, because it waits for a confined process. */
static int get_attachment_thumbnail(struct call *c) {
    struct content f;
    struct picture p;
    TRY(attachment_of_path(c, &f, &p));
    return has_thumbnail(&p) ? send_thumbnail(c, &f, &p) : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
}

static int64_t attachments_owner(const struct call *c) { return c->vars[holder_of(c)->owner].id; }

/* Reads the files of the post or the article. Returns their number, or a negative error. *first: an
 * attachment. */
static int zip_entries(struct call *c, struct zip_entry *entries, int64_t *first) {
    struct arena *a = c->work.arena;
    int n = 0, rc;
    DB_ROWS(rc, c->work.conn, holder_of(c)->contents, BINDS(B_INT("owner", attachments_owner(c))), row) {
        if (n == LIMIT_ATTACHMENTS) continue;
        entries[n++] = (struct zip_entry){.name = str_dup(a, col_text(row, 0)),
                                          .sha256 = str_dup(a, col_text(row, 1)),
                                          .size = col_int(row, 2),
                                          .changed = col_int(row, 3)};
        *first = col_int(row, 4);
    }
    return rc < 0 ? rc : n;
}

static int get_attachments(struct call *c) {
    struct zip_entry *entries = arena_array(c->work.arena, LIMIT_ATTACHMENTS, sizeof *entries);
    char id[INT_TEXT];
    int64_t first = 0;
    int n = zip_entries(c, entries, &first);
    TRY(n);
    TRY(attachment_seen(c, first));
    TRY(api_input(c));
    TRY(zip_needs(c, entries, n));
    struct http_stream *s = ARENA_NEW(c->work.arena, struct http_stream);
    struct zip *zip = zip_new(c->work.desk->files, entries, n);
    *s = (struct http_stream){zip_read, zip_free, zip, zip_about(zip)};
    c->raw = true;
    c->stream = s;
    struct str name = STR_CAT(c->work.arena, S("attachments-"), str_int(id, attachments_owner(c)), S(".zip"));
    call_header(c, "Content-Type", S("application/zip"));
    call_header(c, "Content-Disposition", content_disposition(c->work.arena, name, false));
    content_guards(c);
    return 0;
}

/* ---- routes ---------------------------------------------------------------------------------- */

#define DOWNLOAD_DOC                                                                                     \
    " Content-Disposition has the file name. HEAD returns name, size and type only. Range requests may " \
    "ask for one range of bytes."
#define ATTACHMENT_ROUTE_EACH(post, who, scope, parent, condition, what, ids, first)                                 \
    {GET,                                                                                                            \
     post "/attachments/:attachment_id",                                                                             \
     who,                                                                                                            \
     scope,                                                                                                          \
     ONE,                                                                                                            \
     api_get,                                                                                                        \
     .of = parent,                                                                                                   \
     .where = condition,                                                                                             \
     .sample = {.path = ids ",$ATTACHMENT", .setup = first},                                                         \
     .summary = "Get an attachment of " what},                                                                       \
        {GET,                                                                                                        \
         post "/attachments/:attachment_id/url",                                                                     \
         who,                                                                                                        \
         scope,                                                                                                      \
         ONE,                                                                                                        \
         get_attachment_url,                                                                                         \
         .of = parent,                                                                                               \
         .where = condition,                                                                                         \
         .is_download = true,                                                                                        \
         .has_ranges = true,                                                                                         \
         .sample = {.path = ids ",$ATTACHMENT"},                                                                     \
         .summary = "View an attachment of " what,                                                                   \
         .doc =                                                                                                      \
             "Raster images (PNG, JPEG, GIF, WebP) are shown inline. All other files are downloaded." DOWNLOAD_DOC}, \
        {GET,                                                                                                        \
         post "/attachments/:attachment_id/download",                                                                \
         who,                                                                                                        \
         scope,                                                                                                      \
         ONE,                                                                                                        \
         get_attachment_download,                                                                                    \
         .of = parent,                                                                                               \
         .where = condition,                                                                                         \
         .is_download = true,                                                                                        \
         .has_ranges = true,                                                                                         \
         .sample = {.path = ids ",$ATTACHMENT"},                                                                     \
         .summary = "Download an attachment of " what,                                                               \
         .doc = "All callers who see " what " may download it." DOWNLOAD_DOC},                                       \
    {                                                                                                                \
        GET, post "/attachments/:attachment_id/thumbnail", who, scope, ONE, get_attachment_thumbnail,                \
            .of = parent, .where = condition, .is_download = true, .executor = POOL, .lane = LANE_PICTURE,           \
            .sample = {.path = ids ",$ATTACHMENT"},                                                                  \
            .summary = "View the thumbnail of an attachment of " what,                                               \
            .doc = "A JPEG, PNG, GIF or WebP of at most 16 million pixels has one, which fits 200 x 200 "            \
                   "pixels. Other files: 404."                                                                       \
    }
#define ATTACHMENT_ROUTES(post, who, scope, parent, condition, what, ids, first)     \
    ATTACHMENT_ROUTE_EACH(post, who, scope, parent, condition, what, ids, first), {  \
        GET, post "/attachments/download/all", who, scope, ONE, get_attachments,     \
            .of = parent, .where = condition, .is_download = true, .is_heavy = true, \
            .sample = {.path = ids}, .summary = "Download all attachments of " what, \
            .doc = "The reply is a ZIP. Equal names are numbered."                   \
    }
#define OF_NOTE(owner) "t.post_id IN (SELECT n.id FROM notes n WHERE n.id = :note_id AND n." owner " = :id)"

static const struct route attachment_routes[] = {
    ATTACHMENT_ROUTES("/conversations/:id/messages/:message_id", ALL | FINGERPRINT | WIDGET, "conversations",
                      "conversation",
                      "t.post_id IN (SELECT p.id FROM posts p WHERE p.id = :message_id "
                      "AND p.case_id = :id AND p.kind = 1)",
                      "a message", "18,$MESSAGE",
                      "MESSAGE=$(curl {owner} -F \"contents=See the picture.\" -F first=@picture.png -F "
                      "second=@picture.png \"{api}/conversations/18/messages\" | member "
                      "id)\nATTACHMENT=$(curl {owner} "
                      "\"{api}/conversations/18/messages/$MESSAGE?include=attachment\" | below attachments)"),
    /* They also work for a conversation in the trash. */
    ATTACHMENT_ROUTES("/cases/:id/messages/:message_id", COL_PLUS, "conversations", "case",
                      "t.post_id IN (SELECT p.id FROM posts p WHERE p.id = :message_id "
                      "AND p.case_id = :id AND p.kind = 1)",
                      "a message of a case", "18,$MESSAGE",
                      "MESSAGE=$(curl {owner} -F \"contents=See the picture.\" -F first=@picture.png -F "
                      "second=@picture.png \"{api}/conversations/18/messages\" | member "
                      "id)\nATTACHMENT=$(curl {owner} "
                      "\"{api}/conversations/18/messages/$MESSAGE?include=attachment\" | below attachments)"),
    ATTACHMENT_ROUTES("/cases/:id/notes/:note_id", COL_PLUS, "conversations", "case", OF_NOTE("case_id"),
                      "a note on a conversation", "18,$NOTE",
                      "NOTE=$(curl {owner} -F \"contents=See the picture.\" -F first=@picture.png -F "
                      "second=@picture.png \"{api}/cases/18/notes\" | member id)\nATTACHMENT=$(curl {owner} "
                      "\"{api}/cases/18/notes/$NOTE?include=attachment\" | below attachments)"),
    ATTACHMENT_ROUTES("/users/:id/notes/:note_id", COL_PLUS, "conversations", "user",
                      OF_NOTE("owner_user_id"), "a note on a user", "3,$NOTE",
                      "NOTE=$(curl {owner} -F \"contents=See the picture.\" -F first=@picture.png -F "
                      "second=@picture.png \"{api}/users/3/notes\" | member id)\nATTACHMENT=$(curl {owner} "
                      "\"{api}/users/3/notes/$NOTE?include=attachment\" | below attachments)"),
    ATTACHMENT_ROUTES(
        "/organizations/:id/notes/:note_id", COL_PLUS, "conversations", "organization",
        OF_NOTE("organization_id"), "a note on an organization", "1,$NOTE",
        "NOTE=$(curl {owner} -F \"contents=See the picture.\" -F first=@picture.png -F second=@picture.png "
        "\"{api}/organizations/1/notes\" | member id)\nATTACHMENT=$(curl {owner} "
        "\"{api}/organizations/1/notes/$NOTE?include=attachment\" | below attachments)"),
    {0},
};

const struct resource attachment_resource = {.type = "attachment",
                                             .scope = "conversations",
                                             .title = "Attachments",
                                             .doc = "Files of messages and notes.",
                                             .url = ":place/attachments/:id",
                                             .table = "post_attachments",
                                             .from = "post_attachments t JOIN files f ON f.id = t.file_id",
                                             .fields = attachment_fields,
                                             .routes = attachment_routes,
                                             .visible = access_attachments,
                                             .owned_order = "t.sort_order, t.id",
                                             .is_flattened = true,
                                             .changes_unseen = true};

/* ---- of articles ----------------------------------------------------------------------------- */

static int delete_article_attachment(struct call *c) {
    TRY(api_of(c));
    TRY(article_may_change(c, c->vars[0].id));
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(article_attachment_delete(&c->work, c->vars[0].id, c->id));
    return api_reply(c);
}

static const struct route article_attachment_routes[] = {
    {GET, "/articles/:id/attachments", PUBLIC, "conversations", LIST, api_list,
     .order = {.key = "t.sort_order"}, .summary = "List the attachments of an article"},
    ATTACHMENT_ROUTES(
        "/articles/:id", PUBLIC, "conversations", NULL, NULL, "an article", "$ARTICLE",
        "ARTICLE=$(curl {owner} -F \"titles=With a picture\" -F \"contents=See the picture.\" -F section_id=1 "
        "-F status=PUBLISHED -F first=@picture.png -F second=@picture.png \"{api}/articles\" | member "
        "id)\nATTACHMENT=$(curl {owner} \"{api}/articles/$ARTICLE/attachments\" | below attachments)"),
    {DELETE, "/articles/:id/attachments/:attachment_id", AG_PLUS, "conversations", NONE,
     delete_article_attachment, .permission = "help_center_articles.manage",
     .summary = "Remove an attachment from an article", .doc = "Contents that show the picture then lack it.",
     .sample = {.path = "$ARTICLE,$ATTACHMENT"}},
    {0},
};

const struct resource article_attachment_resource = {
    .type = "article_attachment",
    .scope = "conversations",
    .shown_as = "attachment",
    .title = "Attachments of articles",
    .doc = "Files of articles.",
    .url = "articles/:article_id/attachments/:id",
    .table = "article_attachments",
    .from = "article_attachments t JOIN files f ON f.id = t.file_id",
    .fields = article_attachment_fields,
    .routes = article_attachment_routes,
    .within = {"article", "article_id"},
    .owned_order = "t.sort_order, t.id",
    .unlogged = "they are changes of the article",
    .changes_unseen = true};

/* ---- of event tokens ------------------------------------------------------------------------- */

static void event_token_icon_visible(struct work *w, struct branches *out) {
    out->all = w->actor.rank >= ROLE_ADMIN;
}

static const struct route event_token_icon_routes[] = {
    ATTACHMENT_ROUTE_EACH("/events/tokens/:id", AD, "configuration", "token", "t.id = :id", "an event token",
                          "$TOKEN",
                          "TOKEN=$(curl {owner} -F label=Shop -F icon=@picture.png \"{api}/events/tokens\" "
                          "| member id)\nATTACHMENT=$(curl {owner} "
                          "\"{api}/events/tokens/$TOKEN?include=attachment\" | below attachments)"),
    {0},
};

const struct resource event_token_icon_resource = {
    .type = "event_token_icon",
    .scope = "configuration",
    .shown_as = "attachment",
    .title = "Icons of event tokens",
    .doc = "The picture of an event token. Its id is that of the token.",
    .url = "events/tokens/:id/attachments/:id",
    .table = "event_tokens",
    .from = "(SELECT e.id, e.icon_file_id AS file_id, NULL AS content_id, NULL AS alt FROM event_tokens e) t "
            "JOIN files f ON f.id = t.file_id",
    .fields = event_token_icon_fields,
    .routes = event_token_icon_routes,
    .visible = event_token_icon_visible,
    .unlogged = "they are changes of the event token",
    .changes_unseen = true};

#include "transfer/api_items.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

enum {
    POSTS_A_PAGE = 200,
    POSTS_MOST = 5000,           /* of a row: a line has at most LIMIT_JSON_VALUES values */
    POSTS_BYTES = 32 << 20,      /* of a row */
    CONTENT_MOST = 1 << 30,      /* of a file */
    FILES_MOST = 4 * POSTS_MOST, /* of the rows that are fetched at once */
};

/* A row whose posts are being read. */
struct reading_row {
    struct api_item *item;
    const struct json *row;
    struct buf posts; /* the elements of the list, with a comma behind each */
    struct str extra; /* a list; p NULL: none */
    struct foreign_ids seen;
    int64_t last, count, total, updated;
    bool done;
    bool partial; /* the source did not give all posts */
};

struct items_run {
    struct api_fetch *x;
    struct arena *a;
    const struct api_kind *kind;
    struct reading_row *rows;
    struct source_file *files;
    int count, file_count, file_room;
};

static void report(struct items_run *r, const char *what, int64_t id) {
    foreign_skip(r->x->report, str_fmt(r->x->memory, "%s", what).p, id);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static struct reading_row *row_with(struct items_run *r, int64_t id) {
    for (int i = 0; i < r->count; i++)
        if (r->rows[i].item->id == id) return &r->rows[i];
    return NULL;
}

/* Adds the content of a file to those that are wanted. Returns its id; 0: it is not valid. */
static int64_t want_file(struct items_run *r, const struct json *file, const char *where,
                         const char *folder) {
    int64_t id = item_int(file, "id"), size = item_int(file, "size");
    if (id <= 0 || id > API_ID_MOST || size < 0 || size > CONTENT_MOST || r->file_count >= FILES_MOST) {
        report(r, "files without an id, or of more than 1 GiB", id);
        return 0;
    }
    r->files = arena_more(r->a, r->files, r->file_count, &r->file_room, sizeof *r->files);
    r->files[r->file_count++] =
        (struct source_file){.path = str_fmt(r->a, "%s/attachments/%" PRId64 "/download", where, id),
                             .to = str_fmt(r->a, "%s/%s/%" PRId64, r->x->folder, folder, id).p,
                             .size = size};
    return id;
}

/* Files of the row itself: those of articles. */
static void want_files_of(struct items_run *r, const struct reading_row *row) {
    const struct json *list = r->kind->parts == API_COMMENTS ? item_list(row->row, "attachments") : NULL;
    const char *where = str_fmt(r->a, "%s/%" PRId64, r->kind->owner, row->item->id).p;
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        want_file(r, j, where, "article-attachments");
}

static void want_picture_of(struct items_run *r, const struct reading_row *row) {
    int64_t id = row->item->id, at = r->kind->has_pictures ? item_time(row->row, "avatar_updated_at") : 0;
    if (at == 0 || r->file_count >= FILES_MOST) return;
    r->files = arena_more(r->a, r->files, r->file_count, &r->file_room, sizeof *r->files);
    r->files[r->file_count++] =
        (struct source_file){.path = str_fmt(r->a, "%s/%" PRId64 "/avatar", r->kind->owner, id),
                             .to = str_fmt(r->a, API_PICTURE, r->x->folder, id, at).p,
                             .size = -1};
}

/* Asks for the rows that have none yet. A page may be shorter than asked for, because its bytes have a limit.
 * *added: rows that came. */
static int rows_page(struct items_run *r, int *added) {
    struct json *reply;
    struct buf path = {0};
    int asked = 0;
    *added = 0;
    buf_fmt(&path, "%s?%slimit=100&_empty=false%s&ids=", r->kind->path,
            r->kind->filter ? r->kind->filter : "", r->kind->query);
    for (int i = 0; i < r->count; i++)
        if (!r->rows[i].row) buf_fmt(&path, "%s%" PRId64, asked++ ? "," : "", r->rows[i].item->id);
    struct str asks = buf_take(&path, r->a);
    if (asked == 0) return 0;
    TRY(source_page(&r->x->source, r->a, asks, &reply));
    const struct json *data = item_list(reply, "data");
    for (const struct json *j = data ? data->first : NULL; j; j = j->next) {
        struct reading_row *row = row_with(r, item_int(j, "id"));
        if (!row || row->row || j->type != JSON_OBJECT) continue;
        row->row = j;
        row->updated = item_time(j, "updated_at");
        want_files_of(r, row);
        want_picture_of(r, row);
        (*added)++;
    }
    return 0;
}

/* ---- posts ----------------------------------------------------------------------------------- */

static struct str post_text(const struct json *post, const struct json *original, const char *name,
                            const char *other) {
    struct str text = json_member_text(original, name);
    return text.p ? text : json_member_text(post, other);
}

static int64_t id_in(const struct json *item, const char *name) {
    const struct json *j = json_member(item, str_of(name));
    return j ? item_int(j, "id") : 0;
}

static void write_file(struct items_run *r, struct json_writer *w, const struct json *file,
                       const char *where) {
    int64_t id = want_file(r, file, where, "attachments");
    if (id == 0) return;
    jw_object(w);
    jw_key(w, S("id")), jw_int(w, id);
    jw_key(w, S("name")), jw_str(w, json_member_text(file, "name"));
    jw_key(w, S("type")), jw_str(w, json_member_text(file, "type"));
    jw_end(w);
}

static void write_files(struct items_run *r, struct json_writer *w, const struct json *post,
                        const char *where) {
    const struct json *list = item_list(post, "attachments");
    jw_key(w, S("files"));
    jw_array(w);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) write_file(r, w, j, where);
    jw_end(w);
}

/* The members of a post, or of a note of a list of notes, that the import takes. */
static void write_api_post(struct items_run *r, struct reading_row *row, const struct json *post) {
    struct json_writer w;
    const struct json *inner = json_member(post, S("original")), *original = inner ? inner : post,
                      *channel = json_member(post, S("source_channel"));
    int64_t id = item_int(post, "id"), author = id_in(post, inner ? "creator" : "user");
    bool is_note = !inner || str_eq(json_member_text(original, "resource_type"), S("note"));
    const char *where = str_fmt(r->a, "%s/%" PRId64 "/%s/%" PRId64, r->kind->owner, row->item->id,
                                is_note ? "notes" : "messages", id)
                            .p;
    jw_init(&w, &row->posts);
    jw_object(&w);
    jw_key(&w, S("id")), jw_int(&w, id);
    jw_key(&w, S("at")), jw_str(&w, json_member_text(post, "created_at"));
    jw_key(&w, S("author")), jw_int(&w, author);
    jw_key(&w, S("note")), jw_bool(&w, is_note);
    jw_key(&w, S("pinned")), jw_bool(&w, json_member_true(original, "is_pinned"));
    jw_key(&w, S("color")), jw_str(&w, json_member_text(original, "color"));
    jw_key(&w, S("channel")), jw_str(&w, json_member_text(channel, "type"));
    jw_key(&w, S("source")), jw_str(&w, json_member_text(post, "source"));
    jw_key(&w, S("text")), jw_str(&w, post_text(post, original, "body_text", "contents"));
    jw_key(&w, S("html")), jw_str(&w, json_member_text(original, "body_html"));
    write_files(r, &w, post, where);
    jw_end(&w);
    buf_char(&row->posts, ',');
    row->count++;
}

/* A comment as it was shown, with its replies. */
static void write_comment(struct items_run *r, struct reading_row *row, const struct json *comment) {
    buf_str(&row->posts, json_text(r->a, comment));
    buf_char(&row->posts, ',');
    row->count++;
}

/* Takes the posts of a page that are new. A page without one is the last. */
static void take_posts(struct items_run *r, struct reading_row *row, const struct source_page *p) {
    const struct json *data = p->status == 200 ? item_list(p->reply, "data") : NULL;
    bool more = false;
    if (p->status == 413 || p->status == 403)
        report(r,
               p->status == 403 ? "posts and notes that the account may not read"
                                : "posts and notes behind a page of more than 64 MiB",
               row->item->id);
    row->partial = row->partial || p->status != 200;
    if (p->status == 200 && item_int(p->reply, "total_count") > row->total)
        row->total = item_int(p->reply, "total_count");
    for (const struct json *j = data ? data->first : NULL; j; j = j->next) {
        int64_t id = item_int(j, "id");
        if (id <= 0 || !foreign_ids_add(r->a, &row->seen, id)) continue;
        if (row->count == POSTS_MOST || row->posts.n > POSTS_BYTES) {
            report(r, "posts of conversations with more than 5000 posts or 32 MiB", row->item->id);
            more = false;
            break;
        }
        row->last = id;
        more = true;
        if (r->kind->parts == API_COMMENTS) write_comment(r, row, j);
        else write_api_post(r, row, j);
    }
    row->done = !more || row->count >= row->total;
    row->partial = row->partial || (row->done && row->count < row->total);
    if (row->done && row->count < row->total && p->status == 200)
        report(r, "posts and notes that are counted, but not listed", row->item->id);
}

static struct str posts_path(struct items_run *r, const struct reading_row *row) {
    const char *owner = r->kind->owner;
    int64_t id = row->item->id;
    if (r->kind->parts == API_NOTES)
        return str_fmt(r->a, "%s/%" PRId64 "/notes?limit=%d&offset=%" PRId64, owner, id, POSTS_A_PAGE,
                       row->count);
    if (r->kind->parts == API_COMMENTS)
        return str_fmt(r->a, "%s/%" PRId64 "/comments?limit=%d&include=comment&offset=%" PRId64, owner, id,
                       POSTS_A_PAGE, row->count);
    struct str first = str_fmt(r->a,
                               "%s/%" PRId64 "/posts?limit=%d&filters=MESSAGES%%2CNOTES&_empty=false"
                               "&include=case_message%%2Cnote%%2Cchannel",
                               owner, id, POSTS_A_PAGE);
    return row->last ? str_fmt(r->a, "%s&after_id=%" PRId64, first.p, row->last) : first;
}

/* Reads a page of posts of each row that has more. Returns the number of pages, or a refusal. */
static int posts_pages(struct items_run *r) {
    struct source_page *pages = arena_array(r->a, (size_t)r->count + 1, sizeof *pages);
    int *of = arena_array(r->a, (size_t)r->count + 1, sizeof *of), n = 0;
    for (int i = 0; i < r->count; i++) {
        if (r->rows[i].done || !r->rows[i].row) continue;
        pages[n].path = posts_path(r, &r->rows[i]);
        of[n++] = i;
    }
    TRY(source_pages(&r->x->source, r->a, pages, n));
    for (int i = 0; i < n; i++) take_posts(r, &r->rows[of[i]], &pages[i]);
    return n;
}

/* ---- further lists --------------------------------------------------------------------------- */

static bool has_extra(const struct items_run *r, const struct reading_row *row) {
    const char *member = r->kind->extra_if;
    return row->row && (member == NULL || !foreign_is_empty(json_member(row->row, str_of(member))));
}

static int extras_read(struct items_run *r) {
    struct source_page *pages = arena_array(r->a, (size_t)r->count + 1, sizeof *pages);
    int *of = arena_array(r->a, (size_t)r->count + 1, sizeof *of), n = 0;
    for (int i = 0; i < r->count && r->kind->extra; i++) {
        if (!has_extra(r, &r->rows[i])) continue;
        pages[n].path = str_fmt(r->a, "%s/%" PRId64 "%s?limit=%d&_empty=false", r->kind->extra_of,
                                r->rows[i].item->id, r->kind->extra, POSTS_A_PAGE);
        of[n++] = i;
    }
    TRY(source_pages(&r->x->source, r->a, pages, n));
    for (int i = 0; i < n; i++) {
        const struct json *data = pages[i].status == 200 ? item_list(pages[i].reply, "data") : NULL;
        if (data) r->rows[of[i]].extra = json_text(r->a, data);
        else
            report(
                r,
                str_fmt(r->a, "%s of %s that the source does not give", r->kind->extra + 1, r->kind->name).p,
                r->rows[of[i]].item->id);
    }
    return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void line_write(struct items_run *r, struct reading_row *row) {
    struct buf line = {0};
    struct str text = json_text(r->a, row->row), posts = buf_view(&row->posts);
    buf_fmt(&line, "{\"_id\":%" PRId64 ",\"_updated\":%" PRId64 ",\"_fetched\":%" PRId64 ",\"_posts\":[",
            row->item->id, row->updated, r->x->now);
    buf_add(&line, posts.p, posts.n ? posts.n - 1 : 0);
    buf_text(&line, "],");
    if (row->partial && r->kind->parts == API_COMMENTS) buf_text(&line, "\"_partial\":true,");
    if (row->extra.p) buf_fmt(&line, "\"_extra\":%.*s,", (int)row->extra.n, row->extra.p);
    buf_add(&line, text.p + 1, text.n - 1);
    buf_char(&line, '\n');
    row->item->line = buf_take(&line, r->a);
}

static int contents_fetch(struct items_run *r) {
    TRY(source_files(&r->x->source, r->a, r->files, r->file_count));
    for (int i = 0; i < r->file_count; i++)
        if (r->files[i].missing) report(r, "contents of files that the source does not give", 0);
    return 0;
}

static int items_read(struct items_run *r) {
    int added = 1, pages = 1;
    while (added > 0) TRY(rows_page(r, &added));
    while (pages > 0 && r->kind->parts != API_PLAIN) TRY(pages = posts_pages(r));
    TRY(extras_read(r));
    TRY(contents_fetch(r));
    for (int i = 0; i < r->count; i++)
        if (r->rows[i].row) line_write(r, &r->rows[i]);
    return 0;
}

int api_items(struct api_fetch *x, struct arena *a, const struct api_kind *k, struct api_item *items,
              int count) {
    struct items_run r = {x, a, k, arena_array(a, (size_t)count + 1, sizeof *r.rows), .count = count};
    for (int i = 0; i < count; i++) r.rows[i].item = &items[i];
    int rc = count ? items_read(&r) : 0;
    for (int i = 0; i < count; i++) buf_free(&r.rows[i].posts);
    return rc;
}

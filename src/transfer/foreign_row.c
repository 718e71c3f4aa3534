#include "transfer/foreign_row.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/all/finish.h"
#include "core/cases/note.h"
#include "core/words.h"
#include "transfer/imported.h"

enum { LINE_MAX_CHARACTERS = 250 };

/* ---- texts ----------------------------------------------------------------------------------- */

struct str foreign_cut(struct str text, size_t most) {
    size_t n = 0;
    for (size_t characters = 0; n < text.n; n++)
        if (((unsigned char)text.p[n] & 0xC0) != 0x80 && ++characters > most) break;
    return (struct str){text.p, n};
}

/* One line without control characters. */
struct str foreign_line(struct foreign *f, struct str text, const char *fallback) {
    char *p = arena_bytes(f->item, text.n + 1);
    for (size_t i = 0; i < text.n; i++)
        p[i] = (unsigned char)text.p[i] < ' ' || text.p[i] == 0x7F ? ' ' : text.p[i];
    struct str line = str_trim((struct str){p, text.n});
    return str_dup(f->item, line.n ? foreign_cut(line, LINE_MAX_CHARACTERS) : str_of(fallback));
}

static struct str legacy(struct foreign *f, int64_t id) {
    return f->name.p ? str_fmt(f->item, "%.*s:%" PRId64, (int)f->name.n, f->name.p, id)
                     : str_fmt(f->item, "%s:%" PRId64, f->system->name, id);
}

/* Returns 1 if a row has this legacy_id, 0 or a negative error. */
static int legacy_taken(struct foreign *f, const struct foreign_earlier *e, struct str text) {
    int64_t id;
    return db_int(f->conn, e->by_legacy, BINDS(B_TEXT("legacy", text)), &id);
}

int foreign_legacy_id(struct foreign *f, const struct foreign_earlier *e, int64_t id, struct str own,
                      struct str *out) {
    *out = (struct str){0};
    bool valid = own.n && text_wrong(f->item, own, LINE_MAX_CHARACTERS, true) == NULL;
    int taken = 0;
    if (!f->system->is_api) return *out = legacy(f, id), 0;
    if (own.n && !valid) foreign_skip(f, "values of legacy_id that are not valid", id);
    if (valid) TRY(taken = legacy_taken(f, e, own));
    if (valid && !taken) return *out = own, 0;
    if (taken)
        foreign_skip(f, "values of legacy_id that a row of this desk has: the id of the source stands there",
                     id);
    if (f->keeps_ids) return 0;
    TRY(taken = legacy_taken(f, e, legacy(f, id)));
    if (!taken) *out = legacy(f, id);
    return 0;
}

struct str foreign_picture(struct foreign *f, struct str html, struct str end, int64_t file_id) {
    const char *at = html.p, *stop = html.p + html.n,
               *found = html.n ? memmem(at, html.n, end.p, end.n) : NULL;
    struct buf b = {0};
    if (found == NULL) return html;
    for (; found; found = memmem(at, (size_t)(stop - at), end.p, end.n)) {
        const char *from = found;
        while (from > at && from[-1] != '"') from--;
        if (from - at < 5 || memcmp(from - 5, "src=\"", 5) != 0) {
            foreign_skip_many(f, "links to files in texts: they lead to the source", 1);
            buf_add(&b, at, (size_t)(found - at) + end.n);
            at = found + end.n;
            continue;
        }
        /* a server without https shows the picture as data-src */
        bool hidden = from - at > 10 && memcmp(from - 10, "data-src=\"", 10) == 0;
        buf_add(&b, at, (size_t)(from - at) - (hidden ? 10 : 0));
        buf_fmt(&b, "%scid:%" PRId64 "\"", hidden ? "src=\"" : "", file_id);
        at = found + end.n;
    }
    buf_add(&b, at, (size_t)(stop - at));
    return buf_take(&b, f->item);
}

/* ---- works ----------------------------------------------------------------------------------- */

struct work *foreign_work(struct foreign *f, struct work *w, int64_t at, struct author by) {
    work_init(w, f->desk, f->item);
    w->conn = f->conn;
    w->now = at > 0 ? at : f->now;
    w->actor.kind = ACTOR_SYSTEM;
    w->actor.cause = str_fmt(f->item, "Import from %s", f->system->name);
    w->actor.user_id = by.user_id;
    w->actor.rank = by.rank;
    w->actor.case_access = CASES_ALL;
    w->silent = true;
    return w;
}

/* The audit log gets the entries of works of now. Older entries would be deleted at once. */
static int foreign_finish(struct foreign *f, struct work *w) {
    if (w->now == f->now) f->desk->audit_key = *f->audit_key;
    int rc = work_finish(w);
    explicit_bzero(&f->desk->audit_key, sizeof f->desk->audit_key);
    return rc;
}

/* Finishes a work, or gives the reason of its failure. */
int foreign_done(struct foreign *f, struct work *w, int rc) {
    if (rc >= 0) rc = foreign_finish(f, w);
    if (rc >= 0) return 0;
    const struct problem *p = w->problems;
    if (!p) return db_refuse(f->why, "it can't be stored (%s)", error_info(rc)->code);
    struct str said = p->message.p ? p->message : str_of(error_info((int)p->code)->message);
    return db_refuse(f->why, "%.*s%s%.*s", (int)p->parameter.n, p->parameter.p ? p->parameter.p : "",
                     p->parameter.n ? ": " : "", (int)said.n, said.p);
}

struct author foreign_owner(const struct foreign *f) {
    return (struct author){f->owner_id, ROLE_OWNER};
}

/* ---- earlier items --------------------------------------------------------------------------- */

QUERY(organization_by_legacy, "SELECT id FROM organizations WHERE legacy_id = :legacy");
QUERY(organization_by_id, "SELECT id FROM organizations WHERE id = :id AND deleted_at IS NULL");
QUERY(team_by_legacy, "SELECT id FROM teams WHERE legacy_id = :legacy");
QUERY(team_by_id, "SELECT id FROM teams WHERE id = :id AND deleted_at IS NULL");
QUERY(case_by_legacy, "SELECT id FROM cases WHERE legacy_id = :legacy");
QUERY(case_by_id, "SELECT id FROM cases WHERE id = :id");
QUERY(person_by_legacy, "SELECT id, role_type FROM users WHERE legacy_id = :legacy AND deleted_at IS NULL");
QUERY(person_by_id, "SELECT id, role_type FROM users WHERE id = :id AND deleted_at IS NULL");

QUERY(category_by_legacy, "SELECT id FROM categories WHERE legacy_id = :legacy AND deleted_at IS NULL");
QUERY(category_by_id, "SELECT id FROM categories WHERE id = :id AND deleted_at IS NULL");
QUERY(section_by_legacy, "SELECT id FROM sections WHERE legacy_id = :legacy AND deleted_at IS NULL");
QUERY(section_by_id, "SELECT id FROM sections WHERE id = :id AND deleted_at IS NULL");
QUERY(article_by_legacy, "SELECT id FROM articles WHERE legacy_id = :legacy AND deleted_at IS NULL");
QUERY(article_by_id, "SELECT id FROM articles WHERE id = :id AND deleted_at IS NULL");

const struct foreign_earlier foreign_organization = {&organization_by_legacy, &organization_by_id,
                                                     "organization"},
                             foreign_team = {&team_by_legacy, &team_by_id, "team"},
                             foreign_case_there = {&case_by_legacy, &case_by_id, "case"},
                             foreign_person = {&person_by_legacy, &person_by_id, "user"},
                             foreign_category = {&category_by_legacy, &category_by_id, "category"},
                             foreign_section = {&section_by_legacy, &section_by_id, "section"},
                             foreign_article = {&article_by_legacy, &article_by_id, "article"};

static const struct query *earlier_query(const struct foreign *f, const struct foreign_earlier *e) {
    return f->system->is_api ? e->by_id : e->by_legacy;
}

/* id: of the source, or of this desk where ids are mapped. */
static const struct bind *earlier_binds(struct foreign *f, int64_t id) {
    struct bind *binds = arena_array(f->item, 2, sizeof *binds);
    binds[0] =
        f->system->is_api ? (struct bind)B_INT("id", id) : (struct bind)B_TEXT("legacy", legacy(f, id));
    return binds;
}

/* *id becomes that of the row here. Returns 1, 0 if there is none, or a negative error. */
static int earlier_mapped(struct foreign *f, const struct foreign_earlier *e, int64_t *id) {
    struct imported row;
    if (*id <= 0 || !f->maps_ids) return *id > 0;
    int rc = imported_find(f, e->kind, *id, &row);
    *id = row.here;
    return rc;
}

int foreign_found(struct foreign *f, const struct foreign_earlier *e, int64_t id, int64_t *out) {
    *out = 0;
    int rc = earlier_mapped(f, e, &id);
    return rc == 1 ? db_int(f->conn, earlier_query(f, e), earlier_binds(f, id), out) : rc;
}

/* Returns 1 with the author, 0 if no person has this id, or a negative error. */
int foreign_found_person(struct foreign *f, int64_t id, struct author *out) {
    struct stmt *row;
    int rc = earlier_mapped(f, &foreign_person, &id);
    if (rc == 1) rc = db_row(f->conn, earlier_query(f, &foreign_person), earlier_binds(f, id), &row);
    if (rc != 1) return rc;
    *out = (struct author){col_int(row, 0), (int)col_int(row, 1)};
    stmt_end(row);
    return 1;
}

/* ---- parts of rows --------------------------------------------------------------------------- */

struct tags_given {
    struct str names[LIMIT_TAGS], keys[LIMIT_TAGS];
    int n, invalid;
};

static void foreign_tags_read(struct foreign *f, const struct json *tags, struct tags_given *out) {
    out->n = out->invalid = 0;
    for (const struct json *j = tags && tags->type == JSON_ARRAY ? tags->first : NULL; j; j = j->next) {
        bool fits = j->type == JSON_STRING && out->n < LIMIT_TAGS;
        struct str key = fits ? tag_key(f->item, j->text) : (struct str){0};
        if (key.p) out->names[out->n] = j->text, out->keys[out->n++] = key;
        else out->invalid++;
    }
}

int foreign_tags(struct foreign *f, struct work *w, const struct tagging *tagging, int64_t id,
                 const struct json *tags, int64_t foreign_id) {
    struct tags_given there;
    foreign_tags_read(f, tags, &there);
    for (int i = 0; i < there.invalid; i++) foreign_skip(f, "tags that are not valid", foreign_id);
    return there.n ? tags_add(w, tagging, id, there.names, there.n) : 0;
}

struct str foreign_tag_keys(struct foreign *f, const struct json *tags) {
    struct tags_given there;
    foreign_tags_read(f, tags, &there);
    return json_texts(f->item, there.keys, (size_t)there.n);
}

static bool key_among(const struct tags_given *tags, struct str key) {
    for (int i = 0; i < tags->n; i++)
        if (str_eq(tags->keys[i], key)) return true;
    return false;
}

int foreign_tags_follow(struct foreign *f, struct work *w, const struct tagging *tagging, int64_t id,
                        const struct json *tags, const struct json *given, int64_t foreign_id) {
    struct tags_given there, before;
    const struct json *known = given ? item_list(given, "tags") : NULL;
    struct str gone[LIMIT_TAGS], added[LIMIT_TAGS];
    int gone_count = 0, added_count = 0;
    if (!known) return foreign_tags(f, w, tagging, id, tags, foreign_id);
    foreign_tags_read(f, tags, &there);
    foreign_tags_read(f, known, &before);
    for (int i = 0; i < there.invalid; i++) foreign_skip(f, "tags that are not valid", foreign_id);
    for (int i = 0; i < before.n; i++)
        if (!key_among(&there, before.keys[i])) gone[gone_count++] = before.names[i];
    for (int i = 0; i < there.n; i++)
        if (!key_among(&before, there.keys[i])) added[added_count++] = there.names[i];
    if (gone_count) TRY(tags_remove(w, tagging, id, gone, gone_count));
    return added_count ? tags_add(w, tagging, id, added, added_count) : 0;
}

int foreign_note(struct foreign *f, struct work *w, enum note_owner kind, int64_t id, struct str text) {
    int64_t note;
    text = str_trim(text);
    if (!text.n) return 0;
    foreign_made(f, "notes", 1);
    return note_add(
        w, &(struct note_new){.kind = kind, .owner_id = id, .text = foreign_cut(text, LIMIT_CONTENTS)},
        &note);
}

/* The last column of a new row is its id, if the system keeps ids. */
int foreign_columns(const struct foreign *f, size_t count) { return (int)count - !f->keeps_ids; }

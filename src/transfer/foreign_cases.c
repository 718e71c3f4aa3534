/* Conversations of an import with their posts, and notes of people and organizations. */
#include "transfer/foreign_row.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "core/cases/attachment.h"
#include "core/cases/case_new.h"
#include "core/cases/message.h"
#include "core/cases/rating.h"
#include "core/change/record.h"
#include "files/html_clean.h"
#include "transfer/imported.h"

/* ---- conversations --------------------------------------------------------------------------- */

struct filed {
    int64_t ids[LIMIT_TAGS], from[LIMIT_TAGS]; /* from: ids of the attachments at the source */
    int n;
};

struct told {
    struct str text, html;
};

static int files_of(struct foreign *f, struct work *w, int64_t owner_id, const struct foreign_post *p,
                    struct filed *out) {
    out->n = 0;
    for (int i = 0; i < p->attachment_count && out->n < LIMIT_TAGS; i++) {
        int found = foreign_file(f, w, &p->attachments[i], &out->ids[out->n]);
        TRY(found);
        out->from[out->n] = p->attachments[i].id;
        if (found) out->n++;
        else foreign_skip(f, "attachments whose file is not in the folder attachments", owner_id);
    }
    if (out->n) foreign_made(f, "attachments", out->n);
    return 0;
}

/* Cleans HTML. If that fails, the plain text remains. HTML that another deskd has cleaned has its text beside
 * it, so it costs no process. */
static int contents_of(struct foreign *f, const struct foreign_post *p, const struct filed *files,
                       struct told *out) {
    bool left, one_left;
    struct str html = api_links(f, p->html, (struct str){0}, &left),
               text = api_links(f, p->text, (struct str){0}, &one_left);
    if (left || one_left) report_links(f, p->id);
    for (int i = 0; f->system->is_api && i < files->n; i++)
        html = foreign_picture(f, html, str_fmt(f->item, "/attachments/%" PRId64 "/url\"", files->from[i]),
                               files->ids[i]);
    struct html_cleaned clean = {.html = html, .text = text};
    int cleaned = html.n > 0;
    if (cleaned && !(str_trim(text).n && f->system->is_api && html_is_clean(html)))
        cleaned = html_clean(f->item, html, &clean);
    TRY(cleaned);
    *out = (struct told){.text = text};
    if (cleaned) *out = (struct told){clean.text, clean.html};
    if (!str_trim(out->text).n) out->text = text;
    if (!str_trim(out->text).n) out->text = S("(empty)");
    out->text = str_dup(f->item, foreign_cut(out->text, LIMIT_CONTENTS));
    return 0;
}

static struct author author_of(struct foreign *f, const struct foreign_post *p, int64_t case_id) {
    struct author a;
    if (foreign_found_person(f, p->author_id, &a) == 1 ||
        foreign_deleted_person(f, p->author_id, p->created_at, &a) == 1)
        return a;
    foreign_skip(f, "authors who are not among the people: the owner is shown in their place", case_id);
    return foreign_owner(f);
}

/* Lists of posts may begin with the newest one. */
static int compare_posts(const void *one, const void *two) {
    const struct foreign_post *a = one, *b = two;
    if (a->created_at != b->created_at) return a->created_at < b->created_at ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int sort_posts(struct foreign *f, const struct foreign_case *c) {
    if (c->post_count > 1) qsort(c->posts, (size_t)c->post_count, sizeof *c->posts, compare_posts);
    /* posts of a system whose conversations keep their ids get new ones */
    for (int i = 0; i < c->post_count && !f->system->is_api; i++)
        TRY(foreign_once(f, &f->posts, "posts: id", c->posts[i].id));
    return 0;
}

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* The first public post. A ticket without one begins with its subject. A note may open a conversation. */
static const struct foreign_post *first_message(const struct foreign_case *c) {
    if (c->channel == CHANNEL_NOTE && c->post_count && c->posts[0].is_note) return &c->posts[0];
    for (int i = 0; i < c->post_count; i++)
        if (!c->posts[i].is_note) return &c->posts[i];
    return NULL;
}

/* Remembers the tags that a conversation has been given. before: what was remembered. */
static int case_carried(struct foreign *f, const struct foreign_case *c, const struct json *before) {
    struct str tags = f->source_id ? foreign_tag_keys(f, c->tags) : S("[]");
    if (!before && str_eq(tags, S("[]"))) return 0;
    return imported_carry(f, foreign_case_there.kind, c->id,
                          str_fmt(f->item, "{\"tags\":%.*s}", (int)tags.n, tags.p));
}

static int begin_case(struct foreign *f, const struct foreign_case *c, const struct foreign_post *first,
                      struct author requester, int64_t *id) {
    struct work w;
    struct filed files;
    struct told told;
    struct str legacy;
    int64_t post = 0;
    TRY(foreign_legacy_id(f, &foreign_case_there, c->id, c->legacy_id, &legacy));
    struct author author = first->author_id ? author_of(f, first, c->id) : requester, agent;
    struct case_new n = {.subject = foreign_line(f, c->subject, "Without subject"),
                         .legacy_id = legacy,
                         .id = f->keeps_ids ? c->id : 0,
                         .priority_id = c->priority_id,
                         .type_id = c->type_id,
                         .form_id = c->form_id,
                         .brand_id = c->brand_id,
                         .source = c->source,
                         .channel = c->channel                      ? c->channel
                                    : c->source == SOURCE_MAIL      ? CHANNEL_MAIL
                                    : c->source == SOURCE_MESSENGER ? CHANNEL_MESSENGER
                                                                    : CHANNEL_HELPCENTER,
                         .requester_id = requester.user_id,
                         .creator_id = author.user_id};
    foreign_work(f, &w, c->created_at, author);
    TRY(files_of(f, &w, c->id, first, &files));
    TRY(contents_of(f, first, &files, &told));
    TRY(foreign_found(f, &foreign_team, c->team_id, &n.assigned_team_id));
    if (foreign_found_person(f, c->agent_id, &agent) == 1 && agent.rank >= ROLE_COLLABORATOR)
        n.assigned_agent_id = agent.user_id;
    n.contents = told.text;
    n.html = told.html;
    n.message_channel = first->channel;
    n.files = files.ids;
    n.file_count = files.n;
    n.message_id = &post;
    int rc = case_create(&w, &n, id);
    if (rc >= 0) rc = imported_keep(f, foreign_case_there.kind, c->id, *id, f->changed_at);
    if (rc >= 0) rc = imported_keep(f, "post", first->id, post, 0);
    if (rc >= 0) rc = foreign_tags(f, &w, &case_tagging, *id, c->tags, c->id);
    if (rc >= 0) rc = case_carried(f, c, NULL);
    return foreign_done(f, &w, rc);
}

static struct note_new note_of(enum note_owner kind, int64_t owner_id, const struct foreign_post *p,
                               const struct told *told, const struct filed *files) {
    return (struct note_new){.kind = kind,
                             .owner_id = owner_id,
                             .text = told->text,
                             .html = told->html,
                             .pinned = p->is_pinned,
                             .color = p->color,
                             .files = files->ids,
                             .file_count = files->n};
}

static int add_post(struct foreign *f, const struct foreign_case *c, const struct foreign_post *p, int64_t id,
                    int64_t *at) {
    struct work w;
    struct filed files;
    struct told told;
    struct case_now now;
    int64_t post = 0;                /* the conversation is gone */
    *at = later(*at, p->created_at); /* times of a conversation never go back */
    foreign_work(f, &w, p->is_note ? p->created_at : *at, author_of(f, p, c->id));
    TRY(files_of(f, &w, c->id, p, &files));
    TRY(contents_of(f, p, &files, &told));
    struct note_new note = note_of(NOTE_CASE, id, p, &told, &files);
    int rc = case_load(&w, id, &now);
    if (rc == 1 && p->is_note) rc = note_add(&w, &note, &post);
    else if (rc == 1)
        rc = message_post(&w, &now,
                          &(struct message_new){.contents = told.text,
                                                .html = told.html,
                                                .creator_id = w.actor.user_id,
                                                .source = p->source ? p->source : c->source,
                                                .channel = p->channel,
                                                .files = files.ids,
                                                .file_count = files.n},
                          &post);
    foreign_made(f, p->is_note ? "notes" : "messages", 1);
    if (rc >= 0 && post) rc = imported_keep(f, "post", p->id, post, 0);
    return foreign_done(f, &w, rc);
}

static int add_rating(struct foreign *f, const struct foreign_case *c, const struct foreign_rating *r,
                      int64_t id) {
    struct work w;
    struct case_now now;
    struct author by;
    int64_t rating = 0;
    int found = foreign_found_person(f, r->creator_id, &by);
    if (found == 0) found = foreign_deleted_person(f, r->creator_id, r->created_at, &by);
    if (found <= 0) {
        foreign_skip(f, "ratings without an author", c->id);
        return found;
    }
    foreign_work(f, &w, r->created_at, by);
    struct rating new_rating = {.score = r->score};
    if (r->comment.n) new_rating.comment = foreign_cut(r->comment, LIMIT_CONTENTS);
    int rc = case_load(&w, id, &now);
    if (rc == 1) rc = rating_add(&w, &now, &new_rating, by.user_id, &rating);
    if (rc >= 0) rc = imported_keep(f, "conversation_rating", r->id, rating, 0);
    foreign_made(f, "ratings", 1);
    return foreign_done(f, &w, rc);
}

static int add_ratings(struct foreign *f, const struct foreign_case *c, int64_t id) {
    struct imported row;
    for (int i = 0; i < c->rating_count && i < LIMIT_RATINGS; i++) {
        int found = f->maps_ids ? imported_find(f, "conversation_rating", c->ratings[i].id, &row) : 0;
        TRY(found);
        if (!found) TRY(add_rating(f, c, &c->ratings[i], id));
    }
    return 0;
}

static int end_case(struct foreign *f, const struct foreign_case *c, int64_t id, int64_t at) {
    struct work w;
    struct case_now now;
    struct case_change change = {.set = CASE_STATUS, .incomplete = true};
    foreign_work(f, &w, later(at, c->updated_at), foreign_owner(f));
    w.actor.user_id = 0;
    int rc = case_load(&w, id, &now);
    /* A status of type NEW can't be reached again, so a conversation with replies stays as the replies
     * left it. */
    bool changes = c->status_type && c->status_type != STATUS_NEW &&
                   (c->status_id ? c->status_id != now.status_id : c->status_type != now.status_type);
    change.status_id = c->status_id;
    if (rc == 1 && changes && c->status_id == 0)
        rc = status_id_of_type(&w, (enum status_type)c->status_type, &change.status_id);
    if (rc >= 0 && changes) rc = case_change(&w, &now, &change);
    /* sets updated_at */
    if (rc >= 0) rc = record_update(&w, (struct record){NULL, "cases", NULL}, &id, 1, NULL, 0);
    return foreign_done(f, &w, rc);
}

/* ---- conversations of an earlier run --------------------------------------------------------- */

QUERY(case_updated_at, "SELECT updated_at FROM cases WHERE id = :id");

/* Posts of the source that are not here. A closed conversation takes notes only. */
static int add_new_posts(struct foreign *f, const struct foreign_case *c, const struct case_now *now,
                         int64_t *at) {
    struct imported row;
    for (int i = 0; i < c->post_count; i++) {
        const struct foreign_post *p = &c->posts[i];
        int found = imported_find(f, "post", p->id, &row);
        TRY(found);
        if (found) continue;
        if (now->status_type == STATUS_CLOSED && !p->is_note)
            foreign_skip(f, "messages of conversations that are closed here", c->id);
        else TRY(add_post(f, c, p, now->id, at));
    }
    return 0;
}

/* The members that the source has changed. Without a row here, 0 leaves the member as it is. */
static int change_case(struct foreign *f, const struct foreign_case *c, const struct imported *row,
                       int64_t at) {
    const struct json *given = imported_given(f, row);
    int64_t id = row->here;
    struct work w;
    struct case_now now;
    struct author agent, requester;
    struct case_change change = {.set = CASE_SUBJECT, .incomplete = true};
    foreign_work(f, &w, later(at, c->updated_at), foreign_owner(f));
    w.actor.user_id = 0;
    change.subject = foreign_line(f, c->subject, "Without subject");
    TRY(foreign_found(f, &foreign_team, c->team_id, &change.assigned_team_id));
    if (c->team_id == 0 || change.assigned_team_id) change.set |= CASE_TEAM;
    if (foreign_found_person(f, c->agent_id, &agent) == 1 && agent.rank >= ROLE_COLLABORATOR)
        change.assigned_agent_id = agent.user_id;
    if (c->agent_id == 0 || change.assigned_agent_id) change.set |= CASE_AGENT;
    if (foreign_found_person(f, c->requester_id, &requester) == 1) {
        change.requester_id = requester.user_id;
        change.set |= CASE_REQUESTER;
    }
    change.priority_id = c->priority_id;
    change.type_id = c->type_id;
    change.form_id = c->form_id;
    change.set |= (c->priority_id ? CASE_PRIORITY : 0) | (c->type_id ? CASE_TYPE : 0) |
                  (c->form_id ? CASE_FORM : 0) | (c->brand_id ? CASE_BRAND : 0);
    change.brand_id = c->brand_id;
    int rc = case_load(&w, id, &now);
    if (rc == 1) rc = case_change(&w, &now, &change);
    if (rc >= 0) rc = foreign_tags_follow(f, &w, &case_tagging, id, c->tags, given, c->id);
    if (rc >= 0) rc = case_carried(f, c, given);
    return foreign_done(f, &w, rc);
}

#define TRASHED "case_trash" /* conversations that a run has put into the trash; changed_at 0: no more */

static int state_set(struct foreign *f, int64_t id, struct case_now *now, enum case_state state) {
    struct work w;
    const struct case_change change = {.set = CASE_STATE, .state = state, .incomplete = true};
    foreign_work(f, &w, 0, foreign_owner(f));
    w.actor.user_id = 0;
    int rc = case_load(&w, id, now);
    if (rc == 1) rc = case_change(&w, now, &change);
    TRY(foreign_done(f, &w, rc));
    now->state = (int)state;
    return 0;
}

/* A conversation that was restored here stays, unless it came into the trash of the source once more. */
int load_trashed(struct foreign *f, int64_t id) {
    struct imported row, before;
    struct work w;
    struct case_now now;
    int found = imported_find(f, foreign_case_there.kind, id, &row);
    if (found <= 0) return found;
    TRY(imported_find(f, TRASHED, id, &before));
    foreign_work(f, &w, 0, foreign_owner(f));
    int rc = case_load(&w, row.here, &now);
    if (rc <= 0 || now.state != CASE_ACTIVE || before.changed_at == f->changed_at) return rc < 0 ? rc : 0;
    TRY(state_set(f, row.here, &now, CASE_TRASH));
    foreign_made(f, "conversations put into the trash", 1);
    return imported_keep(f, TRASHED, id, row.here, f->changed_at);
}

/* The source lists a conversation that a run has put into the trash, so it was restored there. */
static int restored_there(struct foreign *f, int64_t id, struct case_now *now) {
    struct imported row;
    int found = now->state == CASE_TRASH ? imported_find(f, TRASHED, id, &row) : 0;
    if (found <= 0 || row.changed_at == 0) return found < 0 ? found : 0;
    TRY(state_set(f, now->id, now, CASE_ACTIVE));
    foreign_made(f, "conversations restored from the trash", 1);
    return imported_keep(f, TRASHED, id, now->id, 0);
}

/* Returns 1, or 0 if the conversation is not changed here: it was deleted, merged or put aside. */
static int update_case(struct foreign *f, const struct foreign_case *c, const struct imported *row) {
    struct work w;
    struct case_now now;
    int64_t id = row->here, at = c->created_at, updated = 0;
    foreign_work(f, &w, 0, foreign_owner(f));
    int rc = case_load(&w, id, &now);
    TRY(rc);
    if (rc == 1) TRY(restored_there(f, c->id, &now));
    if (rc == 0 || now.state != CASE_ACTIVE) {
        foreign_skip(f, "changes of conversations that were deleted, merged or put aside here", c->id);
        return imported_keep(f, foreign_case_there.kind, c->id, id, f->changed_at);
    }
    TRY(db_int(f->conn, &case_updated_at, BINDS(B_INT("id", id)), &updated));
    at = later(at, updated < f->now ? updated : f->now);
    TRY(sort_posts(f, c));
    TRY(add_new_posts(f, c, &now, &at));
    TRY(add_ratings(f, c, id));
    if (now.status_type == STATUS_CLOSED)
        foreign_skip(f, "changes of conversations that are closed here, but for their notes", c->id);
    else {
        TRY(change_case(f, c, row, at));
        TRY(end_case(f, c, id, at));
    }
    foreign_made(f, "conversations with changes", 1);
    TRY(imported_keep(f, foreign_case_there.kind, c->id, id, f->changed_at));
    return now.status_type != STATUS_CLOSED;
}

/* ---- loading --------------------------------------------------------------------------------- */

int load_case(struct foreign *f, const struct foreign_case *c, int64_t *here) {
    struct author requester;
    struct foreign_post subject = {.text = c->subject, .created_at = c->created_at};
    struct imported row = {0};
    const struct foreign_post *first;
    int64_t id, at = c->created_at;
    int found = f->maps_ids ? imported_find(f, foreign_case_there.kind, c->id, &row)
                            : foreign_found(f, &foreign_case_there, c->id, &id);
    if (found == 1 && f->maps_ids)
        return *here = row.here, f->carried_at = row.changed_at, update_case(f, c, &row);
    if (found) return found < 0 ? found : foreign_twice(f, "id", c->id);
    found = foreign_found_person(f, c->requester_id, &requester);
    if (found == 0) found = foreign_deleted_person(f, c->requester_id, c->created_at, &requester);
    if (found != 1)
        return found < 0 ? found
                         : (foreign_skip(f, "tickets whose requester is not among the people", c->id), 0);
    TRY(sort_posts(f, c));
    first = first_message(c);
    TRY(begin_case(f, c, first ? first : &subject, requester, &id));
    foreign_made(f, "conversations", 1);
    foreign_made(f, first && first->is_note ? "notes" : "messages", 1);
    for (int i = 0; i < c->post_count; i++)
        if (&c->posts[i] != first) TRY(add_post(f, c, &c->posts[i], id, &at));
    TRY(add_ratings(f, c, id));
    TRY(end_case(f, c, id, at));
    *here = id;
    return 1;
}

/* ---- notes of people and organizations ------------------------------------------------------- */

int load_notes(struct foreign *f, bool is_person, int64_t id, const struct foreign_post *notes, int count) {
    struct work w;
    struct filed files;
    struct told told;
    int64_t note;
    const char *kind = is_person ? "user_note" : "organization_note";
    for (int i = 0; i < count; i++) {
        const struct foreign_post *p = &notes[i];
        struct imported row;
        int found = f->maps_ids ? imported_find(f, kind, p->id, &row) : 0;
        TRY(found);
        if (found) continue;
        foreign_work(f, &w, p->created_at, author_of(f, p, id));
        TRY(files_of(f, &w, id, p, &files));
        TRY(contents_of(f, p, &files, &told));
        foreign_made(f, "notes", 1);
        struct note_new new_note = note_of(is_person ? NOTE_USER : NOTE_ORGANIZATION, id, p, &told, &files);
        int rc = note_add(&w, &new_note, &note);
        if (rc >= 0) rc = imported_keep(f, kind, p->id, note, 0);
        TRY(foreign_done(f, &w, rc));
    }
    return 0;
}

int foreign_has_case(struct foreign *f, int64_t id) {
    int64_t case_id;
    return foreign_found(f, &foreign_case_there, id, &case_id);
}

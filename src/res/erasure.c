#include "api/rows/generic.h"
#include "core/all/finish.h"
#include "core/change/audit.h"
#include "core/erasure/erase.h"
#include "core/people/authority.h"
#include "core/words.h"
#include "files/content.h"
#include "files/zip.h"
#include "json/json.h"
#include "res/file_content.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the export of a person ------------------------------------------------------------------ */

/* A file for each subject is written row by row to a temporary file without a name, and the ZIP is made of
 * it while it is sent. So the memory does not depend on what the person wrote; it has the names of the
 * attached files. */

/* members: the names of the columns in their order. Their endings say what they are: _at a time, is_... a
 * boolean, _json JSON, _id a number. */
struct subject_file {
    const char *name;
    const struct query *rows;
    const char *members;
};

#define OWN_CASES "(SELECT c.id FROM cases c WHERE c.requester_id = :id)"
QUERY(export_profile, "SELECT u.id, u.full_name, u.designation, u.legacy_id, o.name, l.locale, u.time_zone, "
                      "u.greeting, u.signature, u.status_message, u.created_at, u.last_logged_in_at "
                      "FROM users u LEFT JOIN organizations o ON o.id = u.organization_id "
                      "LEFT JOIN locales l ON l.id = u.locale_id "
                      "WHERE u.id = :id");
QUERY(export_emails, "SELECT email, is_primary, is_validated, created_at "
                     "FROM identity_emails WHERE user_id = :id "
                     "ORDER BY id");
QUERY(export_phones, "SELECT number, is_primary, is_validated, created_at "
                     "FROM identity_phones WHERE user_id = :id "
                     "ORDER BY id");
QUERY(export_twitter,
      "SELECT screen_name, full_name, created_at FROM identity_twitter WHERE user_id = :id ORDER BY id");
QUERY(export_facebook, "SELECT user_name, full_name, email, created_at "
                       "FROM identity_facebook WHERE user_id = :id "
                       "ORDER BY id");
QUERY(export_externals, "SELECT external_app, external_id, created_at "
                        "FROM external_identifiers WHERE user_id = :id "
                        "ORDER BY id");
QUERY(export_addresses, "SELECT address1, address2, city, state, postal_code, country, is_primary "
                        "FROM contact_addresses WHERE user_id = :id "
                        "ORDER BY id");
QUERY(export_websites, "SELECT url, is_primary FROM contact_websites WHERE user_id = :id ORDER BY id");
QUERY(export_values, "SELECT f.key, v.value FROM field_values v "
                     "JOIN custom_fields f ON f.id = v.field_id "
                     "WHERE v.area = 2 AND v.owner_id = :id ORDER BY f.id");
QUERY(export_tags,
      "SELECT t.name FROM user_tags k JOIN tags t ON t.id = k.tag_id WHERE k.user_id = :id ORDER BY t.id");
QUERY(export_conversations,
      "SELECT c.id, c.subject, s.label, c.requester_name, c.metadata, c.created_at, c.updated_at "
      "FROM cases c LEFT JOIN case_statuses s ON s.id = c.status_id "
      "WHERE c.requester_id = :id AND c.state <> 5 "
      "ORDER BY c.created_at, c.id");
QUERY(export_messages,
      "SELECT p.id, p.case_id, CASE WHEN p.creator_id = :id THEN 1 ELSE 0 END, u.full_name, "
      "p.subject, p.content_text, p.created_at "
      "FROM posts p JOIN users u ON u.id = p.creator_id "
      "WHERE p.kind = 1 AND (p.creator_id = :id OR p.case_id IN " OWN_CASES ") ORDER BY p.case_id, p.id");
QUERY(export_ratings,
      "SELECT case_id, score, comment, created_at FROM case_ratings WHERE creator_id = :id ORDER BY id");
QUERY(export_comments,
      "SELECT id, article_id, contents, created_at FROM article_comments WHERE user_id = :id ORDER BY id");
QUERY(export_votes,
      "SELECT article_id, is_up, created_at FROM article_votes WHERE user_id = :id ORDER BY id");
QUERY(export_events,
      "SELECT event, properties, triggered_at, created_at FROM events WHERE user_id = :id ORDER BY id");
QUERY(export_sessions, "SELECT user_agent, ip_address, created_at, last_activity_at, ended_at "
                       "FROM sessions WHERE user_id = :id ORDER BY id");
QUERY(export_grants, "SELECT k.name, g.last_activity_at, g.created_at "
                     "FROM oauth_grants g JOIN oauth_clients k ON k.id = g.client_id "
                     "WHERE g.user_id = :id AND k.deleted_at IS NULL "
                     "ORDER BY g.id");
QUERY(export_tokens,
      "SELECT name, last_used_at, expires_at, created_at FROM api_tokens WHERE user_id = :id ORDER BY id");
QUERY(export_passkeys,
      "SELECT name, rp_id, last_used_at, created_at FROM passkeys WHERE user_id = :id ORDER BY id");
QUERY(export_mails, "SELECT m.id, m.subject, m.from_text, m.case_id, m.created_at "
                    "FROM mails m WHERE m.sender_id = :id ORDER BY m.id");

static const struct subject_file subject_files[] = {
    {"profile.json", &export_profile,
     "id full_name designation legacy_id organization locale time_zone greeting signature status_message "
     "created_at last_logged_in_at"},
    {"emails.json", &export_emails, "email is_primary is_validated created_at"},
    {"phones.json", &export_phones, "number is_primary is_validated created_at"},
    {"twitter.json", &export_twitter, "screen_name full_name created_at"},
    {"facebook.json", &export_facebook, "user_name full_name email created_at"},
    {"external_identifiers.json", &export_externals, "app identifier created_at"},
    {"addresses.json", &export_addresses, "address1 address2 city state postal_code country is_primary"},
    {"websites.json", &export_websites, "url is_primary"},
    {"field_values.json", &export_values, "key value"},
    {"tags.json", &export_tags, "name"},
    {"conversations.json", &export_conversations,
     "id subject status requester_name metadata_json created_at "
     "updated_at"},
    {"messages.json", &export_messages, "id conversation_id is_own author subject text created_at"},
    {"ratings.json", &export_ratings, "conversation_id score_id comment created_at"},
    {"comments.json", &export_comments, "id article_id text created_at"},
    {"votes.json", &export_votes, "article_id is_up created_at"},
    {"events.json", &export_events, "event properties_json triggered_at created_at"},
    {"sessions.json", &export_sessions, "user_agent ip_address created_at last_activity_at ended_at"},
    {"grants.json", &export_grants, "program last_activity_at created_at"},
    {"api_tokens.json", &export_tokens, "name last_used_at expires_at created_at"},
    {"passkeys.json", &export_passkeys, "name host last_used_at created_at"},
    {"mails.json", &export_mails, "id subject from conversation_id created_at"},
};
enum { SUBJECT_FILES = sizeof subject_files / sizeof *subject_files, FLUSH = 64 * 1024 };

struct exporting {
    struct call *call;
    int fd;
    int64_t written;
    struct buf out;
};

/* Writes all but the last `kept` bytes to the file. */
static int person_flush(struct exporting *x, size_t kept) {
    size_t most = x->out.n - kept;
    for (size_t at = 0; at < most;) {
        ssize_t n = write(x->fd, x->out.p + at, most - at);
        if (n < 0 && errno != EINTR) return -ERR_SERVICE_UNAVAILABLE;
        if (n > 0) at += (size_t)n;
    }
    x->written += (int64_t)most;
    memmove(x->out.p, x->out.p + most, kept);
    x->out.n = kept;
    return 0;
}

static bool starts(struct str name, const char *with) { return str_starts(name, str_of(with)); }
static bool str_ends_in(struct str name, struct str end) {
    return name.n >= end.n && memcmp(name.p + name.n - end.n, end.p, end.n) == 0;
}

static void person_member(struct json_writer *j, struct str name, struct stmt *row, int i) {
    bool is_json = str_ends_in(name, S("_json"));
    jw_key(j, is_json ? (struct str){name.p, name.n - 5} : name);
    if (col_null(row, i)) jw_null(j);
    else if (is_json) jw_raw(j, col_text(row, i));
    else if (starts(name, "is_")) jw_bool(j, col_int(row, i) != 0);
    else if (str_ends_in(name, S("_at"))) jw_time(j, col_int(row, i));
    else if (str_eq(name, S("id")) || (str_ends_in(name, S("_id")) && !str_eq(name, S("legacy_id"))))
        jw_int(j, col_int(row, i));
    else jw_str(j, col_text(row, i));
}

static void person_member_row(struct json_writer *j, struct str members, struct stmt *row) {
    jw_object(j);
    for (int i = 0; members.n; i++) {
        const char *end = memchr(members.p, ' ', members.n);
        size_t n = end ? (size_t)(end - members.p) : members.n;
        person_member(j, (struct str){members.p, n}, row, i);
        members = (struct str){members.p + n + (end != NULL), members.n - n - (end != NULL)};
    }
    jw_end(j);
}

static int person_subject(struct exporting *x, const struct subject_file *f, struct zip_entry *entry) {
    struct json_writer j;
    int rc, flushed = 0;
    int64_t before = x->written;
    jw_init(&j, &x->out);
    jw_array(&j);
    DB_ROWS(rc, x->call->work.conn, f->rows, BINDS(B_INT("id", x->call->vars[0].id)), row) {
        if (flushed == 0) person_member_row(&j, str_of(f->members), row);
        /* the writer of JSON looks at the last byte */
        if (flushed == 0 && x->out.n > FLUSH) flushed = person_flush(x, 1);
    }
    jw_end(&j);
    TRY(rc);
    TRY(flushed);
    TRY(person_flush(x, 0));
    *entry = (struct zip_entry){
        .name = str_of(f->name), .size = x->written - before, .changed = x->call->work.now, .fd = x->fd};
    return 0;
}

QUERY(export_files,
      "SELECT f.name, f.sha256, f.size, f.created_at "
      "FROM files f "
      "WHERE f.id IN (SELECT a.file_id FROM post_attachments a JOIN posts p ON p.id = a.post_id "
      "WHERE p.kind = 1 AND p.creator_id = :id UNION SELECT v.file_id FROM field_values v "
      "WHERE v.area = 2 AND v.owner_id = :id AND v.file_id IS NOT NULL) "
      "ORDER BY f.id");

static int person_entries(struct exporting *x, struct zip_entry **out) {
    struct arena *a = x->call->work.arena;
    int n = SUBJECT_FILES, room = SUBJECT_FILES, rc;
    struct zip_entry *list = arena_array(a, SUBJECT_FILES, sizeof *list);
    for (int i = 0; i < SUBJECT_FILES; i++) TRY(person_subject(x, &subject_files[i], &list[i]));
    if (lseek(x->fd, 0, SEEK_SET) != 0) return -ERR_SERVICE_UNAVAILABLE;
    DB_ROWS(rc, x->call->work.conn, &export_files, BINDS(B_INT("id", x->call->vars[0].id)), row) {
        list = arena_more(a, list, n, &room, sizeof *list);
        list[n++] = (struct zip_entry){.name = str_dup(a, col_text(row, 0)),
                                       .sha256 = str_dup(a, col_text(row, 1)),
                                       .size = col_int(row, 2),
                                       .changed = col_int(row, 3)};
    }
    *out = list;
    return rc < 0 ? rc : n;
}

static int person_file(struct call *c) {
    char *path =
        (char *)str_fmt(c->work.arena, "%s/export-XXXXXX", contents_tmp(c->work.arena, c->work.desk->files).p)
            .p;
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) unlink(path);
    return fd < 0 ? -ERR_SERVICE_UNAVAILABLE : fd;
}

static int get_user_export(struct call *c) {
    struct zip_entry *entries = NULL;
    char id[INT_TEXT];
    TRY(api_of(c));
    /* as an erasure: it shows everything about the person, sessions included */
    TRY(user_may_change(&c->work, c->vars[0].id));
    TRY(api_input(c));
    if (c->work.actor.case_access != CASES_ALL)
        return fail_at(
            &c->work, ERR_PERMISSIONS_DENIED, (struct str){0}, (struct str){0},
            "An export has all conversations of the person. Your access to conversations is limited: ask an "
            "admin who sees all.");
    struct exporting x = {.call = c, .fd = person_file(c)};
    TRY(x.fd);
    int n = person_entries(&x, &entries);
    buf_free(&x.out);
    if (n >= 0) n = zip_needs(c, entries, n) < 0 ? -ERR_SERVICE_UNAVAILABLE : n;
    if (n < 0) return close(x.fd), n;
    struct http_stream *s = ARENA_NEW(c->work.arena, struct http_stream);
    struct zip *zip = zip_new(c->work.desk->files, entries, n);
    *s = (struct http_stream){zip_read, zip_free, zip, zip_about(zip)};
    c->raw = true;
    c->stream = s;
    struct str name = STR_CAT(c->work.arena, S("person-"), str_int(id, c->vars[0].id), S(".zip"));
    call_header(c, "Content-Type", S("application/zip"));
    call_header(c, "Content-Disposition", content_disposition(c->work.arena, name, false));
    content_guards(c);
    return 0;
}

static int note_export(struct work *w, void *arg) {
    const struct call *c = arg;
    return audit_add(w, &(struct audit_entry){.action = AUDIT_PERSON_EXPORTED,
                                              .object_type = "user",
                                              .object_id = c->vars[0].id});
}

/* .outside: the entry in the audit log, in a write of its own */
static int note_user_export(struct call *c) {
    int rc = desk_write(c->work.desk, c->work.actor, note_export, c);
    if (rc >= 0) return 0;
    c->stream->close(c->stream->ctx); /* an export that the audit log lacks is not sent */
    c->stream = NULL;
    c->raw = false;
    return rc;
}

static const struct field erasure_fields[] = {
    {"user", F_REF, READONLY, .ref = "user",
     .doc = "The person. The row stays, without name, addresses and secrets."},
    {"status", F_WORD, READONLY, .words = erasure_statuses,
     .doc = "RUNNING until everything is erased, then COMPLETED. An erasure that is interrupted continues.",
     .example = "\"COMPLETED\""},
    {"with_contents", F_BOOL, READONLY,
     .doc = "True: the texts of the person's conversations were erased, too.", .example = "false"},
    {"requested_by", F_REF, READONLY | NULLABLE, .ref = "user", .doc = "Person who requested the erasure."},
    {"removed", F_JSON, READONLY | NULLABLE,
     .doc = "Removed data: a list of `what` and `count` (rows). Null until the status is COMPLETED.",
     .example = "[{\"what\":\"PROFILE\",\"count\":1},{\"what\":\"IDENTITIES\",\"count\":2}]"},
    {"kept", F_JSON, READONLY | NULLABLE,
     .doc = "Kept data: a list of `what`, `count` (rows; null if the number is unknown) and `reason`. Null "
            "until the status is COMPLETED.",
     .example = "[{\"what\":\"CONVERSATIONS\",\"count\":3,\"reason\":\"Numbers, times and states stay for "
                "statistics and for the people who worked on them.\"}]"},
    {"created_at", F_TIME, READONLY, .doc = "Time of the request."},
    {"completed_at", F_TIME, READONLY | NULLABLE,
     .doc = "Time at which everything was erased. Null: the erasure is still "
            "running."},
    {0},
};

/* The routes are for admins and owners. A receipt names nobody. */
static void erasure_visible(struct work *w, struct branches *out) { out->all = w->actor.rank >= ROLE_ADMIN; }

static const struct field erase_input[] = {
    {"contents", F_BOOL, .initial = "false",
     .doc = "True also erases the texts and files of the person's conversations, by whomever they were "
            "written, the texts that the person wrote elsewhere, and the comments on articles."},
    {0},
};

/* The parent of the path is the person, who may have been deleted or purged before. */
static int post_user_erase(struct call *c) {
    struct work *w = &c->work;
    TRY(api_of(c));
    int64_t person = c->vars[0].id, id;
    TRY(user_may_change(w, person));
    TRY(api_input(c));
    TRY(users_leave_an_owner(w, &person, 1, false));
    TRY(erasure_start(w, person, in_int(c, "contents") != 0, &id));
    return api_reply_one(c, id);
}

static const struct route erasure_routes[] = {
    {GET, "/users/:id/export", AD, "", ONE, get_user_export, .outside = note_user_export, .executor = POOL,
     .lane = LANE_READ, .permission = "users.delete", .of = "user", .is_download = true, .label = "-",
     .summary = "Export the data of a user",
     .doc = "A ZIP with one JSON file for each subject (profile, addresses, conversations, messages, "
            "comments, events, sessions and others) and the files that the user attached. It has no notes "
            "of staff and no addresses of other people. The audit log records each export. Only for people "
            "that the caller may change: an admin can't export an owner. Callers who do not see all "
            "conversations get 403, because a part would look like the whole. No bearer token reaches it, "
            "because the data belong to several scopes."},
    {POST, "/users/:id/erase", AD, "users", ONE, post_user_erase, .permission = "users.delete", .of = "user",
     .of_gone = true, .status = 202, .input = erase_input, .summary = "Erase a user",
     .doc = "Erases what identifies the person, everywhere in the desk, also of people who were deleted "
            "before. The reply is a receipt, which is complete when its status is COMPLETED. It says what "
            "was removed and what was kept.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE", .sample = {.made_by = "/users"}},
    {GET, "/erasures", AD, "users", LIST, api_list, .order = {.descending = true}, .summary = "List erasures",
     .doc = "Receipts of erased people, the newest first."},
    {GET, "/erasures/:id", AD, "users", ONE, api_get, .summary = "Get an erasure",
     .doc = "The receipt of POST /users/:id/erase."},
    {0},
};

const struct resource erasure_resource = {
    .type = "erasure",
    .scope = "users",
    .title = "Erasures",
    .doc = "Receipts of erased people: what was removed, what was kept, and "
           "why.",
    .url = "erasures/:id",
    .table = "erasures",
    .fields = erasure_fields,
    .routes = erasure_routes,
    .visible = erasure_visible,
    .changes_unseen = true};

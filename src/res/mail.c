/* Mails that came in. */
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "core/change/change.h"
#include "core/desk/cascade.h"
#include "core/desk/file.h"
#include "core/mail/receive.h"
#include "files/content.h"
#include "files/html_clean.h"
#include "res/attachment.h"
#include "res/file_content.h"
#include "res/html.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- the raw mail ---------------------------------------------------------------------------- */

#define MAIL_SOURCE_MOST \
    (256 * 1024) /* bytes of a raw mail that a reply shows; GET /mails/:id/source has all of them */

/* A hidden member over the alias t of mails: the message, as the beginning of the addresses of its files. */
#define MAIL_PLACE                                                                              \
    {                                                                                           \
        "place", F_TEXT, HIDDEN, .column = PLACE_OF_POST("t.post_id"),                          \
                                 .doc = "Message of the mail, as the beginning of its address." \
    }

/* Reads at most `most` bytes of a content. p NULL: it is not there. */
static struct str content_beginning(struct call *c, struct str sha256, size_t most) {
    struct arena *a = c->work.arena;
    int fd = open(content_path(a, c->work.desk->files, sha256).p, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return (struct str){0};
    char *bytes = arena_alloc(a, most);
    size_t n = 0;
    for (ssize_t got; n < most && (got = read(fd, bytes + n, most - n)) > 0;) n += (size_t)got;
    close(fd);
    return (struct str){bytes, n};
}

/* .render of a member whose value is the SHA-256 of the content. Bytes that are not UTF-8 are shown as
 * U+FFFD. Null if there is no file. */
static void render_mail_source(struct view *v, const struct row *row, const struct value *own) {
    struct arena *a = v->c->work.arena;
    (void)row;
    if (own->type != V_TEXT || v->c->work.desk->files == NULL) {
        jw_null(&v->w);
        return;
    }
    if (call_needs_content(v->c, own->s, -1) < 0) {
        jw_null(&v->w); /* the reply is made again */
        return;
    }
    struct arena_mark mark = arena_mark(a);
    struct str bytes = content_beginning(v->c, own->s, MAIL_SOURCE_MOST + 1);
    bool cut = bytes.n > MAIL_SOURCE_MOST;
    if (cut) bytes = utf8_without_cut_end((struct str){bytes.p, MAIL_SOURCE_MOST});
    struct str text = bytes.p ? utf8_repaired(a, bytes) : bytes;
    if (cut)
        text = STR_CAT(a, text, S("\n[The rest is left out. GET /mails/:id/source has the whole mail.]\n"));
    jw_str(&v->w, text);
    arena_return(a, mark);
}

struct mail_pictures {
    struct view *v;
    const struct value *place;
};

/* The content id is the attachment of the message (core/mail/receive.c). A mail without a message has its
 * own content ids, and no address for them. */
static struct str mail_picture_url(void *ctx, struct str content_id) {
    const struct mail_pictures *p = ctx;
    const struct work *w = &p->v->c->work;
    int64_t id;
    if (p->place->type != V_TEXT || !str_to_int(content_id, &id) || id <= 0) return (struct str){0};
    return STR_CAT(w->arena, w->desk->base_url, S("/api/v1/"), p->place->s, S("/attachments/"), content_id,
                   S("/url"));
}

/* .render of the clean HTML of a mail, in a resource with the member MAIL_PLACE. Its inline pictures are
 * those of its message. Without a message they are left out. */
static void render_mail_html(struct view *v, const struct row *row, const struct value *own) {
    struct mail_pictures p = {v, row_cell(row, "place")};
    if (own->type == V_TEXT)
        jw_str(&v->w, html_show(v->c->work.arena, own->s, html_shows_remote(v->c), mail_picture_url, &p));
    else jw_null(&v->w);
}

/* ---- the rows that a caller sees -------------------------------------------------------------
 *
 * Suspended mails are open to all staff. If a mail has a conversation, the conversation decides. All
 * others are for admins and owners. */

#define SUSPENDED "t.is_suspended = 1"
#define NOT_SUSPENDED "t.is_suspended = 0"
#define OTHERS_WITHOUT_CASE NOT_SUSPENDED " AND t.case_id IS NULL"

static void add_mails_of_cases(struct work *w, struct branches *out) {
    struct branches cases = {0}, one = {0};
    access_cases_of_any_state(w, &cases);
    access_through(w, "cases", "t.case_id", NULL, &cases, &one);
    if (one.count) branch_add(out, STR_CAT(w->arena, S(NOT_SUSPENDED " AND "), str_of(one.where[0])).p);
    memcpy(out->binds, one.binds, sizeof out->binds);
    out->bind_count = one.bind_count;
}

static bool sees_all_mails(const struct work *w) {
    return w->actor.rank >= ROLE_ADMIN && w->actor.case_access == CASES_ALL;
}

/* Adds the suspended mails, and the others that the caller sees. */
static void add_mails(struct work *w, bool suspended, bool others, struct branches *out) {
    bool all = others && sees_all_mails(w) && !cascades_under_way(w);
    if (w->actor.rank < ROLE_COLLABORATOR) return;
    if (all && suspended) out->all = true;
    else if (suspended) branch_add(out, SUSPENDED);
    else if (all) branch_add(out, NOT_SUSPENDED);
    if (all || !others) return;
    if (w->actor.rank >= ROLE_ADMIN) branch_add(out, OTHERS_WITHOUT_CASE);
    add_mails_of_cases(w, out);
}

static void mail_visible(struct work *w, struct branches *out) { add_mails(w, true, true, out); }

/* ---- members --------------------------------------------------------------------------------- */

static const struct field mail_fields[] = {
    {"from", F_TEXT, READONLY, .column = "t.from_text", .doc = "Header From.",
     .example = "\"Ada <ada@example.com>\""},
    {"to", F_LONG, READONLY, .column = "t.to_text", .doc = "Header To.", .example = "\"help@example.com\""},
    {"cc", F_LONG, READONLY, .column = "t.cc_text", .doc = "Header Cc.", .example = "null"},
    {"sender", F_REF, READONLY, .ref = "user",
     .doc = "Person with the address of From. Null: the desk found none."},
    {"subject", F_TEXT, READONLY, .doc = "Header Subject.", .example = "\"It stops after ten turns\""},
    {"source", F_COMPUTED, READONLY, .column = "(SELECT f.sha256 FROM files f WHERE f.id = t.file_id)",
     .render = render_mail_source,
     .doc = "The raw mail as text, at most 256 KiB. Bytes that are not UTF-8 are shown as U+FFFD. GET "
            "/mails/:id/source has the exact bytes.",
     .example = "\"From: ada@example.com\\r\\n\\r\\nIt stops.\\r\\n\""},
    {"text", F_LONG, READONLY, .column = "t.content_text",
     .doc = "Text that the sender wrote, without quoted text.", .example = "\"It stops after ten turns.\""},
    MAIL_PLACE,
    {"html", F_LONG, READONLY, .column = "t.content_html", .render = render_mail_html,
     .doc = "The mail as safe HTML.", .example = "\"<p>It stops after ten turns.</p>\""},
    {"status", F_WORD, READONLY, .words = incoming_statuses,
     .doc = "RECEIVED, PROCESSING, SUCCESS, FAILED, REJECTED or SUSPENDED.", .example = "\"SUCCESS\""},
    {"suspension_code", F_WORD, READONLY, .column = "t.suspension", .words = suspensions,
     .doc = "Rule that suspended the mail. A released mail keeps it."},
    {"reason", F_LONG, READONLY, .doc = "Reason for which the mail was suspended, rejected or failed.",
     .example = "null"},
    {"message_id", F_TEXT, READONLY, .doc = "Header Message-ID.", .example = "\"a1b2@example.com\""},
    {"size", F_INT, READONLY, .doc = "Bytes of the raw mail.", .example = "2048"},
    {"mailbox", F_REF, READONLY, .ref = "mailbox", .doc = "Mailbox that the mail came to."},
    {"case", F_REF, READONLY, .ref = "case", .doc = "Conversation of the mail."},
    {"case_message", F_REF, READONLY, .ref = "case_message",
     .column = "CASE WHEN t.forward_id IS NULL THEN t.post_id END", .doc = "Message that the mail became."},
    {"note", F_REF, READONLY, .ref = "note",
     .column = "CASE WHEN t.forward_id IS NOT NULL THEN t.post_id END",
     .doc = "Note that the mail became, because it answers a forward."},
    {"time_taken", F_INT, READONLY, .doc = "Milliseconds of the last attempt to process the mail.",
     .example = "42"},
    {"is_suspended", F_BOOL, READONLY, .doc = "True if the mail waits for staff."},
    {"envelope_from", F_TEXT, READONLY,
     .doc = "Sender of the envelope. Empty: a mail without a return path. Null: "
            "it is unknown.",
     .example = "\"ada@example.com\""},
    {"recipient", F_TEXT, READONLY, .doc = "Recipient of the envelope.", .example = "\"help@example.com\""},
    {"door", F_WORD, READONLY, .words = mail_doors,
     .doc = "Way by which the mail came in: PIPE, LMTP or IMAP.", .example = "\"LMTP\""},
    {"dkim", F_WORD, READONLY, .words = mail_verdicts,
     .doc = "Result of DKIM, as the trusted Authentication-Results header says: NONE, PASS, FAIL, SOFTFAIL, "
            "NEUTRAL or ERROR. Null: it does not say.",
     .example = "\"PASS\""},
    {"spf", F_WORD, READONLY, .words = mail_verdicts, .doc = "Result of SPF, in the same way.",
     .example = "\"PASS\""},
    {"dmarc", F_WORD, READONLY, .words = mail_verdicts, .doc = "Result of DMARC, in the same way.",
     .example = "\"PASS\""},
    {"created_at", F_TIME, READONLY, .doc = "Time of arrival."},
    {"completed_at", F_TIME, READONLY,
     .doc = "Time at which processing ended. Null: it has not ended, or the "
            "mail is suspended."},
    {0},
};

/* ---- input ----------------------------------------------------------------------------------- */

static int check_is_suspended(struct call *c, struct in *in) {
    if (in->value.i == 0) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "Only false is possible: it releases a suspended mail.");
}

static const struct field mail_input[] = {
    {"is_suspended", F_BOOL, PRESENT | BY_HANDLER, .check = check_is_suspended,
     .doc = "False: the mail is processed as if it had just arrived, without the rules of suspension. True "
            "is refused.",
     .example = "false"},
    {0},
};

static const struct field mail_list_args[] = {
    {"is_suspended", F_BOOL,
     .doc = "Only suspended mails, or only others. Agents and collaborators see "
            "only suspended mails."},
    {"*", .group = html_args},
    {0},
};

/* ---- handlers -------------------------------------------------------------------------------- */

static int get_mails(struct call *c) {
    TRY(api_input(c));
    c->branches = ARENA_NEW(c->work.arena, struct branches);
    const struct in *asked = arg(c, "is_suspended");
    bool suspended = !asked->given || asked->value.i, others = !asked->given || asked->value.i == 0;
    add_mails(&c->work, suspended, others && c->work.actor.rank >= ROLE_ADMIN, c->branches);
    return api_list(c);
}

static int mails_release(struct call *c) {
    for (int i = 0; i < c->id_count; i++) {
        change_property(&c->work, (struct changed){"mail", c->ids[i], 0}, "is_suspended", changed_bool(true),
                        changed_bool(false));
        TRY(mail_release(&c->work, c->ids[i]));
    }
    return 0;
}

static int put_mails(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_refuse(c, NOT_SUSPENDED, "The mail is not suspended. Only suspended mails can be released."));
    TRY(mails_release(c));
    c->sees_written = true;
    return api_reply(c);
}

QUERY(mail_files,
      "SELECT DISTINCT file_id FROM mails WHERE id IN @LIST(:ids) AND file_id IS NOT NULL ORDER BY file_id");

static int delete_mails(struct call *c) {
    struct str files;
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_refuse(c, NOT_SUSPENDED, "The mail is not suspended. Only suspended mails can be deleted."));
    TRY(files_listed(&c->work, &mail_files, BINDS(B_TEXT("ids", api_ids(c))), &files));
    TRY(api_remove(c));
    TRY(files_dropped(&c->work, files));
    return api_reply(c);
}

QUERY(content_of_mail,
      "SELECT " CONTENT("f") " FROM mails t JOIN files f ON f.id = t.file_id WHERE t.id = :id");

static int get_mail_source(struct call *c) {
    struct stmt *row;
    TRY(api_target(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, db_row(c->work.conn, &content_of_mail, BINDS(B_INT("id", c->id)), &row));
    struct content f = content_read(c, row);
    stmt_end(row);
    f.name = str_fmt(c->work.arena, "mail-%lld.eml", (long long)c->id);
    f.type = S("message/rfc822");
    return content_send(c, &f, false);
}

/* ---- routes ---------------------------------------------------------------------------------- */

#define LONG_READ .executor = POOL, .lane = LANE_READ /* `source` reads files */
#define RELEASES .input = mail_input, .errors = "RESOURCE_ACTION_NOT_AVAILABLE"

static const struct route mail_routes[] = {
    {GET, "/mails", COLLABORATORS | AGENTS | ADMINS, "conversations", LIST, get_mails, LONG_READ,
     .args = mail_list_args, .order = {.descending = true}, .summary = "List mails",
     .doc = "The newest first. Agents and collaborators see only suspended mails. Leave out `source` "
            "(fields=-source) to read faster."},
    {GET, "/mails/:id", COL_PLUS, "conversations", ONE, api_get, LONG_READ, .args = html_args,
     .summary = "Get a mail",
     .doc = "Suspended mails are open to all staff. A mail of a conversation is open to callers who see the "
            "conversation, the others to admins and owners."},
    {GET, "/mails/:id/source", COL_PLUS, "conversations", ONE, get_mail_source, .is_download = true,
     .has_ranges = true, .summary = "Download the raw mail",
     .doc = "The bytes as they arrived (message/rfc822). 404 if they were "
            "erased with their sender."},
    {PUT, "/mails/:id", AG_PLUS, "conversations", ONE, put_mails, RELEASES,
     .summary = "Release a suspended mail", .doc = "Only suspended mails.", .sample = {.path = "6"}},
    {PUT, "/mails", AG_PLUS, "conversations", COUNT, put_mails, RELEASES,
     .summary = "Release several suspended mails",
     .doc = "Only suspended mails. If one of them is not suspended, none is released.",
     .sample = {.path = "7"}},
    {DELETE, "/mails/:id", AGENTS | ADMINS, "conversations", NONE, delete_mails,
     .summary = "Delete a suspended mail", .doc = "Only suspended mails.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE", .sample = {.path = "8"}},
    {DELETE, "/mails", AG_PLUS, "conversations", COUNT, delete_mails,
     .summary = "Delete several suspended mails",
     .doc = "Only suspended mails. If one of them is not suspended, none is deleted.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE", .sample = {.path = "9"}},
    {0},
};

const struct resource mail_resource = {.type = "mail",
                                       .sample = "2",
                                       .scope = "conversations",
                                       .title = "Mails",
                                       .doc = "E-mails that came in, suspended ones among them.",
                                       .url = "mails/:id",
                                       .table = "mails",
                                       .fields = mail_fields,
                                       .routes = mail_routes,
                                       .visible = mail_visible};

/* ---- the e-mail that a message came by ------------------------------------------------------- */

/* The e-mail that a message came by. */

static const struct field email_original_fields[] = {
    {"subject", F_TEXT, READONLY, .column = "t.subject", .doc = "Subject of the e-mail."},
    {"from", F_TEXT, READONLY, .column = "t.from_text", .doc = "Sender.", .example = "\"ada@example.com\""},
    {"to", F_LONG, READONLY, .column = "t.to_text", .doc = "Recipients.", .example = "\"help@example.com\""},
    {"received_at", F_TIME, READONLY, .column = "t.created_at", .doc = "Time of arrival."},
    MAIL_PLACE,
    {"html_content", F_LONG, READONLY, .column = "t.content_html", .render = render_mail_html,
     .doc = "The e-mail as safe HTML."},
    {"source_content", F_COMPUTED, READONLY,
     .column = "(SELECT f.sha256 FROM files f WHERE f.id = t.file_id)", .render = render_mail_source,
     .doc = "The e-mail as it arrived, at most 256 KiB. GET /mails/:id/source "
            "has the exact bytes.",
     .example = "\"From: ada@example.com\\r\\n\""},
    {0},
};

QUERY(mail_of_post, "SELECT m.id FROM mails m WHERE m.post_id = :post ORDER BY m.id LIMIT 1");

/* The post has been found visible. */
static int get_email_original(struct call *c) {
    int64_t id;
    TRY(api_of(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, db_int(c->work.conn, &mail_of_post, BINDS(B_INT("post", c->vars[0].id)), &id));
    return api_reply_one(c, id);
}

static const struct route email_original_routes[] = {
    {GET, "/cases/posts/:id/email_original", COL_PLUS, "conversations", ONE, get_email_original, .of = "post",
     .executor = POOL, .lane = LANE_READ, .args = html_args, .summary = "Get the e-mail that a post came by",
     .doc = "404 if the post did not come by e-mail.", .sample = {.path = "63"}},
    {0},
};

const struct resource email_original_resource = {.type = "email_original",
                                                 .scope = "conversations",
                                                 .title = "Original e-mails",
                                                 .doc = "E-mails that messages came by.",
                                                 .table = "mails",
                                                 .fields = email_original_fields,
                                                 .routes = email_original_routes,
                                                 .visible = access_staff,
                                                 .is_item = true,
                                                 .unlogged = "it is a form of a mail"};

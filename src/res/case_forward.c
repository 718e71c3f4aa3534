/* Forwards of messages to people outside (core/cases/forward.h). */
#include "res/case_parts.h"

#include "api/input/input.h"
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "base/fold.h"
#include "base/ids.h"
#include "base/limits.h"
#include "core/cases/forward.h"
#include "core/desk/setting.h"
#include "core/letters/letter.h"
#include "core/mail/mailbox.h"
#include "core/rules/rules_finish.h"
#include "json/json.h"
#include "res/attachment.h"
#include "res/draft.h"
#include "res/html.h"

/* ---- parameters ------------------------------------------------------------------------------ */

static int refuse_outside_address(struct call *c, struct in *in, int place, const char *why) {
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, str_fmt(c->work.arena, "%s/%d", in->name.p, place),
                   "%s", why);
}

/* The addresses become in->made: a struct str list, ended by p NULL. */
static int check_forward_addresses(struct call *c, struct in *in) {
    struct str *list = in->made = arena_array(c->work.arena, in->json->count + 1, sizeof *list);
    int place = 0;
    for (const struct json *j = in->json->first; j; j = j->next, place++) {
        struct str address = str_trim(j->text);
        int ours = email_valid(address) ? mailbox_owns(&c->work, address) : 0;
        TRY(ours);
        if (!email_valid(address)) refuse_outside_address(c, in, place, "An e-mail address is expected.");
        if (ours)
            refuse_outside_address(
                c, in, place, "This is an address of the desk. Write a note, or assign the conversation.");
        list[place] = address;
    }
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

const struct field forward_input[] = {
    {"to", F_TEXTS, REQUIRED, .check = check_forward_addresses,
     .doc = "E-mail addresses of people outside, with `cc` at most 20. Addresses of the desk and of the "
            "requester are refused.",
     .example = "[\"workshop@supplier.example\"]"},
    {"cc", F_TEXTS, 0, .check = check_forward_addresses, .doc = "E-mail addresses that get a copy.",
     .example = "[]"},
    {"subject", F_TEXT, NULLABLE,
     .doc = "Subject of the e-mail. Default: `Fwd: ` and the subject of the conversation.",
     .example = "\"Fwd: The engine stalls\""},
    {"contents", F_LONG, NULLABLE, .max = LIMIT_CONTENTS,
     .doc = "Your text, which stands above the messages. Required if no message is forwarded.",
     .example = "\"Do you have this part?\""},
    {"is_html", F_BOOL, 0, .initial = "0", .doc = "True if `contents` is HTML. It is cleaned."},
    {"post_ids", F_IDS, 0,
     .doc = "Messages of the conversation that are forwarded, at most 100. An empty list forwards none. "
            "Default: the newest message.",
     .example = "[6490]"},
    {"include_attachments", F_BOOL, 0, .initial = "0",
     .doc = "True: all files of these messages are forwarded, too."},
    {"attachment_ids", F_IDS, 0,
     .doc = "Attachments of these messages that are forwarded, in place of all of them.", .example = "[]"},
    {"*", .group = attachment_input},
    {"*", .group = draft_sent_input},
    {0},
};

/* Counts the addresses and reports those that come twice. */
static int forward_addresses_read(struct call *c, struct forward_new *f) {
    struct arena *a = c->work.arena;
    struct str *met = arena_array(a, FORWARD_ADDRESSES, sizeof *met);
    int n = 0;
    f->to = in(c, "to")->made;
    f->cc = in(c, "cc")->made;
    while (f->to && f->to[f->to_count].p) f->to_count++;
    while (f->cc && f->cc[f->cc_count].p) f->cc_count++;
    if (f->to_count + f->cc_count > FORWARD_ADDRESSES)
        return in_fail(c, f->cc_count ? "cc" : "to", ERR_FIELD_INVALID, "At most %d addresses are expected.",
                       FORWARD_ADDRESSES);
    for (int i = 0; i < f->to_count + f->cc_count; i++) {
        bool copy = i >= f->to_count;
        struct str key = email_key(a, copy ? f->cc[i - f->to_count] : f->to[i]);
        for (int k = 0; k < n; k++)
            if (str_eq(met[k], key))
                refuse_outside_address(c, in(c, copy ? "cc" : "to"), copy ? i - f->to_count : i,
                                       "The address comes twice.");
        met[n++] = key;
    }
    return 0;
}

QUERY(forward_requester,
      "SELECT e.email_key FROM identity_emails e WHERE e.user_id = :user AND e.is_claim = 0");

/* The requester would answer to a note. */
static int check_forward_requester(struct call *c, const struct forward_new *f, int64_t requester_id) {
    struct arena *a = c->work.arena;
    int rc;
    DB_ROWS(rc, c->work.conn, &forward_requester, BINDS(B_INT("user", requester_id)), row) {
        for (int i = 0; i < f->to_count + f->cc_count; i++) {
            bool copy = i >= f->to_count;
            int place = copy ? i - f->to_count : i;
            if (str_eq(email_key(a, copy ? f->cc[place] : f->to[place]), col_text(row, 0)))
                refuse_outside_address(c, in(c, copy ? "cc" : "to"), place,
                                       "This is an address of the requester. Write a reply.");
        }
    }
    TRY(rc);
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

/* ---- the messages and their files ------------------------------------------------------------ */

QUERY(forward_messages, "SELECT p.id FROM posts p WHERE p.case_id = :case AND p.kind = 1 "
                        "AND p.id IN @LIST(:ids) ORDER BY p.id");
QUERY(forward_attachments, "SELECT t.id, t.file_id, f.size FROM post_attachments t JOIN files f "
                           "ON f.id = t.file_id WHERE t.post_id IN @LIST(:posts) "
                           "ORDER BY t.post_id, t.sort_order, t.id");
QUERY(forward_sizes, "SELECT COALESCE(SUM(f.size), 0) FROM files f WHERE f.id IN @LIST(:ids)");

/* *posts: JSON. Each id that is not one of a message of the conversation gets the same answer. */
static int forward_posts_read(struct call *c, const struct case_now *now, struct str *posts, int *count) {
    const struct in *asked = in(c, "post_ids");
    int64_t *own, newest = now->last_message_id;
    bool by_default = asked->value.type != V_IDS;
    int wanted = by_default ? newest != 0 : (int)asked->value.i;
    const int64_t *ids = by_default ? &newest : asked->value.ids;
    if (wanted > FORWARD_POSTS)
        return in_fail(c, "post_ids", ERR_FIELD_INVALID, "At most %d messages are forwarded.", FORWARD_POSTS);
    *posts = json_ids(c->work.arena, ids, (size_t)wanted);
    *count = db_ids(c->work.conn, &forward_messages, BINDS(B_INT("case", now->id), B_TEXT("ids", *posts)),
                    c->work.arena, &own);
    TRY(*count);
    for (int i = 0; i < wanted && !by_default; i++)
        if (!ids_have(own, *count, ids[i]))
            fail_at(&c->work, ERR_RESOURCE_NOT_FOUND, S("post_ids"), str_fmt(c->work.arena, "post_ids/%d", i),
                    "The conversation has no such message.");
    *posts = json_ids(c->work.arena, own, (size_t)*count);
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

struct forward_files {
    int64_t *ids;
    int count;
};

static bool file_joins(struct forward_files *f, int64_t id) {
    if (ids_have(f->ids, f->count, id)) return true;
    if (f->count >= LIMIT_ATTACHMENTS) return false;
    f->ids[f->count++] = id;
    return true;
}

/* Adds the files of the messages: all, or those of `attachment_ids`. */
static int forward_files_read(struct call *c, struct str posts, struct forward_files *f) {
    const struct in *chosen = in(c, "attachment_ids");
    bool all = in_int(c, "include_attachments") != 0, fits = true;
    int asked = chosen->value.type == V_IDS ? (int)chosen->value.i : 0, rc;
    bool *found = arena_array(c->work.arena, (size_t)asked + 1, sizeof *found);
    if (!all && asked == 0) return 0;
    DB_ROWS(rc, c->work.conn, &forward_attachments, BINDS(B_TEXT("posts", posts)), row) {
        int place = ids_place(chosen->value.ids, asked, col_int(row, 0));
        if (place >= 0) found[place] = true;
        if (all || place >= 0) fits = file_joins(f, col_int(row, 1)) && fits;
    }
    TRY(rc);
    for (int i = 0; i < asked; i++)
        if (!found[i])
            fail_at(&c->work, ERR_RESOURCE_NOT_FOUND, S("attachment_ids"),
                    str_fmt(c->work.arena, "attachment_ids/%d", i),
                    "The messages that are forwarded have no such attachment.");
    if (!fits)
        in_fail(c, all ? "include_attachments" : "attachment_ids", ERR_FIELD_INVALID,
                "At most %d files can be attached.", LIMIT_ATTACHMENTS);
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

/* People outside can't open links to files, so all of them must fit into the mail. */
static int check_forward_size(struct call *c, const struct forward_files *f) {
    int64_t most = setting_int(c->work.desk, "mail.attachments_megabytes"), size = 0;
    TRY(db_int(c->work.conn, &forward_sizes,
               BINDS(B_TEXT("ids", json_ids(c->work.arena, f->ids, (size_t)f->count))), &size));
    if (size <= most << 20) return 0;
    return in_fail(c,
                   in_int(c, "include_attachments") ? "include_attachments"
                   : given(c, "attachment_ids")     ? "attachment_ids"
                                                    : "attachment_file_ids",
                   ERR_FIELD_INVALID, "The files have more than the %d MB of mail.attachments_megabytes.",
                   (int)most);
}

/* ---- the forward ----------------------------------------------------------------------------- */

static int forward_contents_read(struct call *c, struct forward_new *f, int posts) {
    f->note.text = S("");
    if (in(c, "contents")->value.type == V_TEXT)
        return html_contents(c, &f->note.text, &f->note.html, &f->note.original);
    return posts ? 0 : in_fail(c, "contents", ERR_FIELD_REQUIRED, NULL);
}

static int forward_reply(struct call *c) {
    TRY(rules_finish(&c->work));
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    int64_t until = letter_reply_waits(&c->work);
    *row_cell(row, "post") = (struct value){V_INT, .i = c->id};
    *row_cell(row, "case") = (struct value){V_INT, .i = c->vars[0].id};
    if (until) *row_cell(row, "undo_until") = (struct value){V_INT, .i = until};
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

int post_case_forward(struct call *c) {
    struct case_now now;
    struct attached own;
    struct forward_new f = {.note = {.kind = NOTE_CASE}};
    struct forward_files files = {.ids = arena_array(c->work.arena, LIMIT_ATTACHMENTS, sizeof *files.ids)};
    int posts = 0;
    TRY(api_of(c));
    int rc = attachments_read(c, &own);
    if (rc < 0 && !failed(&c->work)) return rc;
    TRY(forward_addresses_read(c, &f));
    TRY(failed(&c->work) ? -(int)failure(&c->work) : 0);
    TRY_FOUND(&c->work, case_load(&c->work, c->vars[0].id, &now));
    TRY(case_not_hidden(&c->work, &now));
    TRY(check_forward_requester(c, &f, now.requester_id));
    TRY(forward_posts_read(c, &now, &f.posts, &posts));
    TRY(forward_contents_read(c, &f, posts));
    TRY(attachments_store(c, &own));
    for (int i = 0; i < own.count; i++) file_joins(&files, own.ids[i]);
    TRY(forward_files_read(c, f.posts, &files));
    TRY(check_forward_size(c, &files));
    f.subject = in(c, "subject")->value.type == V_TEXT ? in_text(c, "subject")
                                                       : STR_CAT(c->work.arena, S("Fwd: "), now.subject);
    f.note.owner_id = now.id;
    f.note.files = files.ids;
    f.note.file_count = files.count;
    TRY(forward_send(&c->work, &f, &c->id));
    TRY(draft_sent(c, DRAFT_FORWARD));
    return forward_reply(c);
}

int delete_case_forward(struct call *c) {
    struct case_now now;
    TRY(api_of(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, case_load(&c->work, c->vars[0].id, &now));
    TRY(forward_undo(&c->work, now.id, c->vars[1].id));
    return api_reply(c);
}

static const struct field case_forward_fields[] = {
    {"post", F_REF, READONLY, .ref = "post", .doc = "The new post, a note."},
    {"case", F_REF, READONLY, .ref = "case", .doc = "The conversation."},
    {"undo_until", F_TIME, READONLY,
     .doc = "Until then, its author can undo the forward (DELETE /cases/:id/forward/:post_id). Null: its "
            "e-mails leave at once.",
     .example = "\"2026-11-23T09:30:30+00:00\""},
    {0},
};

const struct resource case_forward_resource = {.type = "case_forward",
                                               .scope = "conversations",
                                               .title = "Forwards of conversations",
                                               .doc = "The answer to a forward.",
                                               .fields = case_forward_fields};

/* ---- the member `forward` of a note ---------------------------------------------------------- */

static void write_addresses(struct view *v, struct str list, const struct json *letters) {
    struct arena *a = v->c->work.arena;
    struct json *addresses;
    struct json_error err;
    jw_array(&v->w);
    if (json_parse(a, list, &addresses, &err) < 0) addresses = json_new(a, JSON_ARRAY);
    for (const struct json *j = addresses->first; j; j = j->next) {
        const char *status = NULL;
        for (const struct json *l = letters->first; l; l = l->next) {
            struct str rest = l->text, number = str_cut(&rest, ' ');
            int64_t n = 0;
            if (str_eq(rest, j->text) && str_to_int(number, &n)) status = word_of(mail_statuses, (int)n);
        }
        jw_object(&v->w);
        jw_key(&v->w, S("email"));
        jw_str(&v->w, j->text);
        jw_key(&v->w, S("email_delivery_status"));
        if (status) jw_str(&v->w, str_of(status));
        else jw_null(&v->w);
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

void render_forward(struct view *v, const struct row *row, const struct value *own) {
    struct arena *a = v->c->work.arena;
    struct json *letters;
    struct json_error err;
    struct str rest = own->s;
    (void)row;
    if (own->type != V_TEXT) {
        jw_null(&v->w);
        return;
    }
    struct str to = str_cut(&rest, '\n'), cc = str_cut(&rest, '\n'), posts = str_cut(&rest, '\n'),
               statuses = str_cut(&rest, '\n');
    if (json_parse(a, statuses, &letters, &err) < 0) letters = json_new(a, JSON_ARRAY);
    jw_object(&v->w);
    jw_key(&v->w, S("to"));
    write_addresses(v, to, letters);
    jw_key(&v->w, S("cc"));
    write_addresses(v, cc, letters);
    jw_key(&v->w, S("subject"));
    jw_str(&v->w, rest.p ? rest : S(""));
    jw_key(&v->w, S("post_ids"));
    jw_raw(&v->w, posts);
    jw_end(&v->w);
}

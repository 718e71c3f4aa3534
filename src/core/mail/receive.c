/* One mail is one write:
 *
 *     arrived before? ──yes──▸ nothing
 *         │ no
 *     row of mails (RECEIVED) ──fault──▸ FAILED
 *         │
 *     mailbox, tokens, sender ──▸ a rule of suspension.c hits ──▸ SUSPENDED ┄┄ released by staff ┄▸ PROCESSING ┄ job ┄┐
 *         │                                                                                                       │
 *         ◂┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘
 *     sender may not write ──▸ REJECTED
 *         │
 *     message, new conversation, or note that answers a forward ──▸ SUCCESS
 *
 * Before the row is written, the digest of the mail is: of two processes that take the same mail at once,
 * the second one waits for the COMMIT of the first at the primary key of mail_arrivals, and then finds the
 * digest. So a row is never seen in PROCESSING, unless staff released the mail and its job has not run
 * yet. A released mail that can't be processed is SUSPENDED again, with the reason. */
#include "core/mail/receive.h"

#include "base/buf.h"
#include "base/fold.h"
#include "base/html.h"
#include "base/limits.h"
#include "base/link.h"
#include "core/access/permission.h"
#include "core/cases/case_new.h"
#include "core/cases/forward.h"
#include "core/cases/message.h"
#include "core/cases/message_mail.h"
#include "core/cases/case.h"
#include "core/desk/file.h"
#include "core/desk/job.h"
#include "core/desk/setting.h"
#include "core/mail/authentication.h"
#include "core/mail/mailbox_test.h"
#include "core/mail/suspension.h"
#include "json/json.h"

#include <inttypes.h>
#include <sodium.h>

/* ---- duplicates ------------------------------------------------------------------------------ */

QUERY(arrival_insert, "INSERT INTO mail_arrivals (digest, arrived_at) "
                      "VALUES (:digest, :now) ON CONFLICT (digest) DO UPDATE "
                      "SET arrived_at = excluded.arrived_at WHERE mail_arrivals.arrived_at <= :since");
QUERY(arrival_known, "SELECT 1 FROM mail_arrivals WHERE digest = :digest AND arrived_at > :since");

struct str arrival_digest(struct arena *a, struct str recipient, struct str sha256) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    if (recipient.n) crypto_hash_sha256_update(&state, (const unsigned char *)recipient.p, recipient.n);
    crypto_hash_sha256_update(&state, (const unsigned char *)"", 1);
    crypto_hash_sha256_update(&state, (const unsigned char *)sha256.p, sha256.n);
    crypto_hash_sha256_final(&state, sum);
    return str_hex(a, sum, sizeof sum);
}

int mail_arrived_before(struct conn *c, int64_t now, const struct incoming *m) {
    struct arena *a = arena_new();
    int64_t found;
    int rc = db_int(c, &arrival_known,
                    BINDS(B_TEXT("digest", arrival_digest(a, m->recipient, m->sha256)),
                          B_INT("since", now - MAIL_ARRIVALS_KEPT)),
                    &found);
    arena_free(a);
    return rc;
}

/* ---- the row --------------------------------------------------------------------------------- */

QUERY(mail_insert,
      "INSERT INTO mails (status, door, envelope_from, recipient, from_text, from_key, to_text, "
      "cc_text, to_addresses, cc_addresses, subject, content_text, content_html, message_id, dkim, "
      "spf, dmarc, size, file_id, created_at) "
      "VALUES (1, :door, :envelope_from, :recipient, :from_text, :from_key, :to_text, "
      ":cc_text, :to_addresses, :cc_addresses, :subject, :text, :html, :message_id, "
      "CAST(:dkim AS INTEGER), CAST(:spf AS INTEGER), CAST(:dmarc AS INTEGER), :size, "
      "CAST(:file AS BIGINT), :now) RETURNING id");
QUERY(mail_end,
      "UPDATE mails SET status = :status, suspension = COALESCE(CAST(:suspension AS INTEGER), suspension), "
      "reason = :reason, is_suspended = CASE WHEN :status = 6 THEN 1 ELSE 0 END, "
      "sender_id = COALESCE(CAST(:sender AS BIGINT), sender_id), "
      "mailbox_id = COALESCE(CAST(:mailbox AS BIGINT), mailbox_id), "
      "content_html = COALESCE(:html, content_html), case_id = CAST(:case AS BIGINT), "
      "post_id = CAST(:post AS BIGINT), forward_id = CAST(:forward AS BIGINT), "
      "time_taken = CAST(:taken AS BIGINT), completed_at = CAST(:completed AS BIGINT) "
      "WHERE id = :id");

struct processing {
    struct judged j;
    struct mailbox mailbox; /* id 0: none */
    bool released;
    int status; /* enum incoming_status */
    int suspension;
    struct str reason;
    int64_t case_id, post_id, forward_id; /* forward_id: the post is a note that answers it; 0: a message */
};

/* p NULL: none. */
static struct str addresses_listed(struct arena *a, const struct mail_person *people, int count) {
    struct str *list = arena_array(a, (size_t)count + 1, sizeof *list);
    for (int i = 0; i < count; i++) list[i] = people[i].address;
    return count ? json_texts(a, list, (size_t)count) : (struct str){0};
}

static int mail_row_insert(struct work *w, const struct incoming *m, const struct judged *j, int64_t file_id,
                           int64_t *id) {
    return db_insert(w->conn, &mail_insert,
                     BINDS(B_INT("door", m->door), B_TEXT("envelope_from", m->envelope_from),
                           B_TEXT("recipient", m->recipient), B_TEXT("from_text", m->from_text),
                           B_TEXT("from_key", j->sender.key), B_TEXT("to_text", m->to_text),
                           B_TEXT("cc_text", m->cc_text),
                           B_TEXT("to_addresses", addresses_listed(w->arena, m->to, m->to_count)),
                           B_TEXT("cc_addresses", addresses_listed(w->arena, m->cc, m->cc_count)),
                           B_TEXT("subject", m->subject), B_TEXT("text", m->text), B_TEXT("html", m->html),
                           B_TEXT("message_id", m->message_id), B_ID("dkim", j->seen.dkim),
                           B_ID("spf", j->seen.spf), B_ID("dmarc", j->seen.dmarc), B_INT("size", m->size),
                           B_ID("file", file_id), B_INT("now", w->now)),
                     id);
}

static int mail_give_up(struct processing *p, enum incoming_status status, struct str reason) {
    p->status = (int)status;
    p->reason = reason;
    return 0;
}

/* ---- contents -------------------------------------------------------------------------------- */

/* The beginning of a text that has at most `most` characters. */
static struct str text_beginning(struct str s, size_t most) {
    size_t i = 0;
    for (size_t n = 0; i < s.n; i++)
        if ((s.p[i] & 0xC0) != 0x80 && n++ == most) break;
    return (struct str){s.p, i};
}

static struct str mail_subject(struct arena *a, const struct incoming *m) {
    struct str subject = m->subject.p ? text_beginning(thread_subject(a, m->subject), LIMIT_TITLE) : S("");
    return subject.n ? subject : S("(no subject)");
}

static struct str mail_text(const struct incoming *m) {
    return text_beginning(m->text.n ? m->text : m->quoted.n ? m->quoted : S(""), LIMIT_CONTENTS);
}

/* The content ids of the files as clean HTML writes them; p NULL: none. */
static struct str *shown_ids(struct arena *a, const struct incoming *m) {
    struct str *ids = arena_array(a, (size_t)m->file_count + 1, sizeof *ids);
    struct buf b = {0};
    for (int i = 0; i < m->file_count; i++) {
        if (m->files[i].content_id.n == 0) continue;
        b.n = 0;
        html_escape(&b, m->files[i].content_id);
        ids[i] = str_dup(a, buf_view(&b));
    }
    buf_free(&b);
    return ids;
}

/* The number of the first file with the content id that has a number; 0: none. */
static int64_t number_of_shown(const struct incoming *m, const struct str *ids, struct str id,
                               const int64_t *numbers) {
    for (int i = 0; i < m->file_count; i++)
        if (ids[i].p && numbers[i] && str_eq(ids[i], id)) return numbers[i];
    return 0;
}

/* The HTML with a number in place of each content id. numbers: of the files; 0: none. The HTML is read
 * once, because a mail may show a picture 100,000 times. */
static struct str mail_html(struct arena *a, const struct incoming *m, const int64_t *numbers) {
    const struct str mark = S(" src=\"cid:");
    struct str rest = m->html;
    struct buf b = {0};
    if (rest.n == 0 || m->file_count == 0) return rest;
    const struct str *ids = shown_ids(a, m);
    for (const char *at; rest.n && (at = memmem(rest.p, rest.n, mark.p, mark.n)) != NULL;) {
        struct str before = {rest.p, (size_t)(at - rest.p) + mark.n};
        rest = (struct str){rest.p + before.n, rest.n - before.n};
        struct str id = str_cut(&rest, '"');
        int64_t number = number_of_shown(m, ids, id, numbers);
        buf_str(&b, before);
        if (number) buf_int(&b, number);
        else buf_str(&b, id);
        if (rest.p) buf_char(&b, '"');
    }
    buf_str(&b, rest);
    return buf_take(&b, a);
}

/* A message names inline pictures by the row of their file (core/cases/attachment.h). */
static struct str message_html(struct arena *a, const struct incoming *m) {
    int64_t *files = arena_array(a, (size_t)m->file_count + 1, sizeof *files);
    for (int i = 0; i < m->file_count; i++) files[i] = m->files[i].id;
    return mail_html(a, m, files);
}

QUERY(pictures_of_message,
      "SELECT t.file_id, t.id FROM post_attachments t WHERE t.post_id = :post AND t.is_inline = 1");

/* The row of mails names them by their attachment to its message, which has their address. */
static int mail_html_of_row(struct work *w, const struct processing *p, struct str *html) {
    const struct incoming *m = p->j.mail;
    int64_t *attachments = arena_array(w->arena, (size_t)m->file_count + 1, sizeof *attachments);
    int rc;
    *html = (struct str){0};
    if (p->post_id == 0 || m->html.n == 0 || m->file_count == 0) return 0;
    DB_ROWS(rc, w->conn, &pictures_of_message, BINDS(B_INT("post", p->post_id)), row) {
        for (int i = 0; i < m->file_count; i++)
            if (m->files[i].id == col_int(row, 0)) attachments[i] = col_int(row, 1);
    }
    *html = mail_html(w->arena, m, attachments);
    return rc;
}

static const int64_t *mail_file_ids(struct arena *a, const struct incoming *m, int *count) {
    int64_t *ids = arena_array(a, (size_t)m->file_count + 1, sizeof *ids);
    *count = 0;
    for (int i = 0; i < m->file_count; i++)
        if (m->files[i].id) ids[(*count)++] = m->files[i].id;
    return ids;
}

/* ---- posting --------------------------------------------------------------------------------- */

/* A conversation that takes no message is named by the new one. */
static int mail_begin_case(struct work *w, struct processing *p) {
    const struct incoming *m = p->j.mail;
    struct case_new n = {.subject = mail_subject(w->arena, m),
                         .contents = mail_text(m),
                         .html = message_html(w->arena, m),
                         .requester_id = p->j.sender.user_id,
                         .creator_id = p->j.sender.user_id,
                         .brand_id = p->mailbox.brand_id,
                         .assigned_team_id = p->mailbox.team_id,
                         .mailbox_id = p->mailbox.id,
                         .source = SOURCE_MAIL,
                         .channel = CHANNEL_MAIL,
                         .sla = w->desk->sla_of_new,
                         .message_id = &p->post_id};
    if (p->j.thread.found && p->j.thread.forward_id == 0)
        n.metadata = str_fmt(w->arena, "{\"continues_case_id\":%" PRId64 "}", p->j.thread.now.id);
    n.files = mail_file_ids(w->arena, m, &n.file_count);
    return case_create(w, &n, &p->case_id);
}

/* A message of a customer reopens the conversation, also if the customer is not the requester, because
 * nobody looks for new messages in conversations that wait or are completed. */
static int mail_post(struct work *w, struct processing *p) {
    const struct incoming *m = p->j.mail;
    struct case_now *c = &p->j.thread.now;
    bool by_staff = w->actor.rank >= ROLE_COLLABORATOR && w->actor.user_id != c->requester_id;
    struct message_new n = {.contents = mail_text(m),
                            .html = message_html(w->arena, m),
                            .creator_id = w->actor.user_id,
                            .mailbox_id = p->mailbox.id,
                            .source = SOURCE_MAIL,
                            .channel = CHANNEL_MAIL};
    n.files = mail_file_ids(w->arena, m, &n.file_count);
    p->case_id = c->id;
    TRY(message_post(w, c, &n, &p->post_id));
    return by_staff ? message_mail_send(w, c, p->post_id, NULL, 0) : case_reopen(w, c);
}

/* The answer to a forward: a note, which the customer never sees. Its sender does not take part in the
 * conversation, and neither do the people in To and Cc. */
static int answer_note_post(struct work *w, struct processing *p) {
    const struct incoming *m = p->j.mail;
    struct note_new n = {.kind = NOTE_CASE,
                         .owner_id = p->j.thread.now.id,
                         .text = mail_text(m),
                         .html = message_html(w->arena, m),
                         .answers = true};
    n.files = mail_file_ids(w->arena, m, &n.file_count);
    p->case_id = p->j.thread.now.id;
    p->forward_id = p->j.thread.forward_id;
    p->status = INCOMING_SUCCESS;
    return note_add(w, &n, &p->post_id);
}

QUERY(mail_posted_before,
      "SELECT 1 FROM mails WHERE from_key = :key AND created_at > :since AND case_id = :case AND status = 3 "
      "AND message_id = :message AND content_text = :text AND id <> :this "
      "LIMIT 1");

/* A mail that goes to several addresses of the desk arrives once for each. Returns 1 if the conversation
 * has its message, 0, or a negative error. */
static int is_posted_before(struct work *w, const struct processing *p) {
    const struct incoming *m = p->j.mail;
    int64_t found;
    if (!p->j.thread.open || m->message_id.n == 0) return 0;
    return db_int(w->conn, &mail_posted_before,
                  BINDS(B_TEXT("key", p->j.sender.key), B_INT("since", w->now - MAIL_ARRIVALS_KEPT),
                        B_INT("case", p->j.thread.now.id), B_TEXT("message", m->message_id),
                        B_TEXT("text", m->text), B_INT("this", p->j.mail_id)),
                  &found);
}

static bool may_not_reply(const struct work *w, const struct processing *p) {
    bool as_customer = w->actor.rank < ROLE_COLLABORATOR || w->actor.user_id == p->j.thread.now.requester_id;
    return p->j.thread.open && !as_customer && !permitted(&w->actor, "cases.public_reply");
}

static int mail_accept(struct work *w, struct processing *p) {
    int before = is_posted_before(w, p);
    TRY(before);
    if (before) {
        p->case_id = p->j.thread.now.id;
        return mail_give_up(p, INCOMING_REJECTED,
                            S("The mail came to another address of this desk, too. Its message is in the "
                              "conversation."));
    }
    int allowed = sender_act(w, p->j.mail, &p->j.sender, p->j.as_staff);
    TRY(allowed);
    if (!allowed)
        return mail_give_up(p, INCOMING_REJECTED, S("The user with the address of the sender is disabled."));
    if (p->j.thread.forward_id && p->j.thread.open) return answer_note_post(w, p);
    if (may_not_reply(w, p))
        return mail_give_up(p, INCOMING_REJECTED, S("The role of the sender may not reply to customers."));
    if (p->released && p->j.thread.open) TRY(participant_add(w, p->j.thread.now.id, p->j.sender.user_id));
    TRY(p->j.thread.open ? mail_post(w, p) : mail_begin_case(w, p));
    TRY(sender_copies_join(w, p->j.mail, &p->j.sender, p->mailbox.id != 0, p->case_id));
    TRY(sender_recipients_keep(w, p->j.mail, p->j.mail_id, p->post_id));
    p->status = INCOMING_SUCCESS;
    return 0;
}

/* ---- the mail -------------------------------------------------------------------------------- */

#define MAILBOX_TRIES 20 /* addresses of To and Cc that are looked up if the envelope names no mailbox */

static int mail_find_mailbox(struct work *w, const struct incoming *m, struct mailbox *out) {
    int rc = m->recipient.p ? mailbox_of_address(w, m->recipient, out) : 0;
    for (int i = 0; i < m->to_count && i < MAILBOX_TRIES && rc == 0; i++)
        rc = mailbox_of_address(w, m->to[i].address, out);
    for (int i = 0; i < m->cc_count && i < MAILBOX_TRIES && rc == 0; i++)
        rc = mailbox_of_address(w, m->cc[i].address, out);
    if (rc == 0) *out = (struct mailbox){0};
    return rc < 0 ? rc : 0;
}

static int mail_row_end(struct work *w, const struct processing *p) {
    const struct incoming *m = p->j.mail;
    struct str html;
    TRY(mail_html_of_row(w, p, &html));
    return db_exec(w->conn, &mail_end,
                   BINDS(B_INT("id", p->j.mail_id), B_INT("status", p->status),
                         B_ID("suspension", p->suspension), B_TEXT("reason", p->reason),
                         B_ID("sender", p->j.sender.user_id), B_ID("mailbox", p->mailbox.id),
                         B_ID("case", p->case_id), B_ID("post", p->post_id), B_ID("forward", p->forward_id),
                         B_TEXT("html", html), B_ID("taken", m->begun ? clock_monotonic() - m->begun + 1 : 0),
                         B_ID("completed", p->status == INCOMING_SUSPENDED ? 0 : w->now)));
}

/* Returns 1 if the mail acts with the powers of staff, 0 if it acts as a customer, or a negative error.
 * Staff who do not see the conversation take part as customers, if they are participants. */
static int mail_acts_as_staff(struct work *w, const struct judged *j) {
    bool proven = sender_is_proven_staff(&j->sender, &j->seen);
    return proven && j->thread.found ? sender_sees(w, &j->sender, &j->thread.now) : proven;
}

static int mail_judge(struct work *w, struct processing *p) {
    struct judged *j = &p->j;
    TRY(mail_find_mailbox(w, j->mail, &p->mailbox));
    TRY(thread_find(w, j->mail, &j->thread));
    int as_staff = mail_acts_as_staff(w, j);
    TRY(as_staff);
    j->as_staff = as_staff != 0;
    int asked = j->thread.forward_id ? forward_has_address(w, j->thread.forward_id, j->sender.key) : 0;
    TRY(asked);
    j->asked = asked != 0;
    if (p->released) return 0;
    int hit = suspension_find(w, j, &p->reason);
    TRY(hit);
    p->suspension = hit;
    if (hit) p->status = INCOMING_SUSPENDED;
    return 0;
}

/* Staff may release the mail again, or delete it. */
static void mail_suspend_again(struct work *w, struct processing *p) {
    p->status = INCOMING_SUSPENDED;
    p->reason = STR_CAT(w->arena, S("The mail was released, but could not be processed: "), p->reason);
}

static int mail_process(struct work *w, struct processing *p) {
    w->channel = RULE_MAIL;
    w->event = RULE_INCOMING_MAIL;
    if (p->j.mail->fault.p) mail_give_up(p, INCOMING_FAILED, p->j.mail->fault);
    else TRY(mail_judge(w, p));
    if (p->status == 0 && p->j.sender.key.p == NULL)
        mail_give_up(p, INCOMING_FAILED, S("The mail has no valid address of a sender."));
    if (p->status == 0) TRY(mail_accept(w, p));
    if (p->released && p->status == INCOMING_FAILED) mail_suspend_again(w, p);
    return mail_row_end(w, p);
}

/* The verdicts and the sender, from which the row is made. */
static int mail_look(struct work *w, struct processing *p) {
    const struct incoming *m = p->j.mail;
    p->j.seen = authentication_read(w->arena, m->authentication_results, m->authentication_count,
                                    setting_text(w->desk, "mail.authserv_id", w->arena), m->from.address);
    return sender_find(w, m, &p->j.sender);
}

int mail_receive(struct work *w, const struct incoming *m, int64_t file_id, int64_t *mail_id) {
    struct processing p = {.j = {.mail = m}};
    int fresh = db_exec(w->conn, &arrival_insert,
                        BINDS(B_TEXT("digest", arrival_digest(w->arena, m->recipient, m->sha256)),
                              B_INT("now", w->now), B_INT("since", w->now - MAIL_ARRIVALS_KEPT)));
    if (fresh <= 0) return fresh;
    TRY(mail_look(w, &p));
    int is_test = mailbox_test_arrived(w, m, &p.j.seen);
    if (is_test) return is_test;
    TRY(mail_row_insert(w, m, &p.j, file_id, mail_id));
    if (file_id) TRY(files_attached(w, json_ids(w->arena, &file_id, 1)));
    p.j.mail_id = *mail_id;
    TRY(mail_process(w, &p));
    return 1;
}

/* ---- release --------------------------------------------------------------------------------- */

QUERY(mail_let_go, "UPDATE mails SET status = 2, is_suspended = 0 WHERE id = :id AND is_suspended = 1");
QUERY(mail_released_row, "SELECT m.door, m.envelope_from, m.recipient, f.sha256, m.size "
                         "FROM mails m LEFT JOIN files f ON f.id = m.file_id "
                         "WHERE m.id = :id AND m.status = 2");
QUERY(mail_released_lock, "SELECT m.id FROM mails m WHERE m.id = :id AND m.status = 2 @LOCK@");

int mail_release(struct work *w, int64_t mail_id) {
    int64_t job;
    int rc = db_exec(w->conn, &mail_let_go, BINDS(B_INT("id", mail_id)));
    if (rc <= 0) return rc;
    TRY(job_add(w, JOB_MAIL_RELEASE, str_fmt(w->arena, "{\"mail_id\":%" PRId64 "}", mail_id), &job));
    return 1;
}

int mail_released_load(struct conn *c, struct arena *a, int64_t mail_id, struct mail_released *out) {
    struct stmt *row;
    int rc = db_row(c, &mail_released_row, BINDS(B_INT("id", mail_id)), &row);
    if (rc <= 0) return rc;
    *out = (struct mail_released){.door = (enum mail_door)col_int(row, 0), .size = col_int(row, 4)};
    if (!col_null(row, 1)) out->envelope_from = str_dup(a, col_text(row, 1));
    if (!col_null(row, 2)) out->recipient = str_dup(a, col_text(row, 2));
    if (!col_null(row, 3)) out->sha256 = str_dup(a, col_text(row, 3));
    stmt_end(row);
    return 1;
}

/* Staff have looked at a mail without a valid From, so the sender of its envelope counts. It has no powers
 * of staff. */
static int mail_look_released(struct work *w, struct processing *p, struct incoming *copy) {
    TRY(mail_look(w, p));
    if (p->j.sender.key.p || copy->envelope_from.n == 0) return 0;
    copy->from.address = copy->envelope_from;
    copy->authentication_count = 0;
    return mail_look(w, p);
}

int mail_process_released(struct work *w, const struct incoming *m, int64_t mail_id) {
    int64_t id;
    struct incoming copy = *m;
    struct processing p = {.released = true, .j = {.mail = &copy, .mail_id = mail_id}};
    int rc = db_int(w->conn, &mail_released_lock, BINDS(B_INT("id", mail_id)), &id);
    if (rc <= 0) return rc;
    TRY(mail_look_released(w, &p, &copy));
    TRY(mail_process(w, &p));
    return 1;
}

/* Delivers each mail at least once, and rarely twice.
 *
 * A letter is a row (outgoing_mails) and a job, committed with the change that causes it. So there is no
 * letter without the change, and no change without its letter. Sending is not a part of a transaction,
 * because it takes seconds and can't be undone. So a job is claimed under a lease (one commit), its letter
 * is sent without a transaction, and the result is stored (another commit).
 *
 *     claimed --- read --- send --------------- settle
 *                           ^                     ^
 *        a crash before this: sent later       a crash before this: the relay has it, but the row says queued; it is sent again
 *
 * A crash between the relay's 250 and the COMMIT causes a duplicate. No order of the two steps avoids
 * that: the other order would lose mail. The duplicate is harmless, because (1) both have the Message-ID
 * of the row, by which mailboxes and mail readers detect duplicates, and (2) both have the same link,
 * which works once.
 *
 * A letter is checked again right before it is sent. It is not sent if its link was used, replaced or has
 * expired, or if its person was deleted. Without a relay it is HELD, without a job, until the settings
 * name one. */
#include "core/all/finish.h"
#include "core/desk/job.h"

#include "base/log.h"
#include "core/cases/staff_mail.h"
#include "core/mail/mailbox.h"
#include "core/letters/letter.h"
#include "core/letters/link.h"
#include "core/desk/setting.h"
#include "core/text/template.h"
#include "json/json.h"
#include "mail/compose.h"
#include "mail/forwarded.h"
#include "mail/relay.h"
#include "mail/smtp.h"

#include <inttypes.h>

#define READ_MS 10000
#define REFERENCES 20 /* Message-IDs of the thread in one mail */
#define FIRST_WAIT (30 * TIME_SECOND)
#define LONGEST_WAIT TIME_HOUR

/* ---- outside any transaction ----------------------------------------------------------------- */

static enum smtp_outcome hand_to_relay(struct work *w, struct delivery *d, struct str message,
                                       const atomic_bool *stopping) {
    struct arena *a = w->arena;
    struct str to = mime_address(a, d->letter.recipient);
    struct mail_fault fault = {0};
    d->login.relay.fault = &fault;
    enum smtp_outcome outcome =
        smtp_send(a, &d->login.relay, return_path_of(w, d), to, message, stopping, &d->reason);
    if (outcome == SMTP_LATER && fault.stage == STAGE_LOGIN) relay_denied(w, &d->login);
    return outcome;
}

static void note_outcome(const struct work *w, struct delivery *d, enum smtp_outcome outcome,
                         const atomic_bool *stopping) {
    static const enum mail_status status[] = {[SMTP_SENT] = MAIL_SENT,
                                              [SMTP_LATER] = MAIL_QUEUED,
                                              [SMTP_REFUSED] = MAIL_REFUSED,
                                              [SMTP_TOO_BIG] = MAIL_REFUSED};
    d->status = status[outcome];
    d->again = d->status == MAIL_QUEUED && atomic_load(stopping);
    if (d->status == MAIL_QUEUED && clock_now(&w->desk->clock) >= d->letter.retry_until)
        d->status = MAIL_FAILED;
}

static void delivery_give_up(struct delivery *d, const char *reason) {
    d->status = MAIL_FAILED;
    d->reason = str_of(reason);
}

#define TOKEN_BUSY_MS (2 * TIME_SECOND)

/* Makes the login ready. Returns false if the mail can't be sent now. */
static bool relay_log_in(struct work *w, struct delivery *d, const atomic_bool *stopping) {
    if (d->login.relay.host.n == 0) {
        d->status = MAIL_HELD;
        return false;
    }
    switch (relay_token(w, &d->login, stopping, &d->reason)) {
    case MAIL_TOKEN_READY: return true;
    case MAIL_TOKEN_CONSENT: d->status = MAIL_HELD; break;
    case MAIL_TOKEN_BUSY: d->token_busy = true; break;
    default: note_outcome(w, d, SMTP_LATER, stopping);
    }
    return false;
}

/* A mail that is too big for the relay is sent again at once with links in place of its files. */
static void compose_and_send(struct work *w, struct delivery *d, const atomic_bool *stopping) {
    /* A reader outside could not open a link to a file, so a forward has all of its files. */
    int64_t most = d->forward_id ? INT64_MAX : setting_int(w->desk, "mail.attachments_megabytes") << 20;
    enum smtp_outcome outcome = SMTP_TOO_BIG;
    if (!relay_log_in(w, d, stopping)) return;
    do {
        attach_files(w, d, most);
        if (d->forward_id && d->part_count < d->reply.file_count) {
            delivery_give_up(d, most < 0 ? "the relay does not take a mail of this size"
                                         : "a file of the forward is not there");
            return;
        }
        struct str message = write_mail(w, d);
        if (message.p == NULL) {
            delivery_give_up(d, "the address is not valid for mail");
            return;
        }
        outcome = hand_to_relay(w, d, message, stopping);
        most = -1; /* no file, not even an empty one: otherwise there would be no end */
    } while (outcome == SMTP_TOO_BIG && d->part_count);
    note_outcome(w, d, outcome, stopping);
}

static int64_t letter_id(struct work *w, const struct job *j) {
    struct json *input;
    struct json_error err;
    int64_t id = 0;
    if (json_parse(w->arena, j->input, &input, &err) < 0) return 0;
    const struct json *member = json_member(input, S("id"));
    return member && str_to_int(member->text, &id) ? id : 0;
}

/* Reads the message that the letter carries, if it carries one. */
static int read_message(struct work *w, struct delivery *d) {
    int64_t id;
    if (!str_to_int(value_named(d->values, "post"), &id)) return 0;
    int found = message_mail_load(w, id, &d->reply);
    TRY(found);
    if (!found) delivery_give_up(d, "its message was deleted");
    return 0;
}

/* Reads the forward that the letter carries, if it carries one. */
static int read_forward(struct work *w, struct delivery *d) {
    struct forward_mail m;
    if (d->forward_id == 0) return 0;
    int found = forward_mail_load(w, d->forward_id, &m);
    TRY(found);
    if (!found) {
        delivery_give_up(d, "its note was deleted");
        return 0;
    }
    forwarded_write(w->desk, w->arena, &m, &d->quoted, &d->quoted_html);
    forwarded_show_files(w->arena, &m, STR_CAT(w->arena, m.html, d->quoted_html));
    d->reply = (struct message_mail){.subject = m.subject,
                                     .author = m.author,
                                     .text = m.text,
                                     .html = m.html,
                                     .files = m.files,
                                     .file_count = m.file_count};
    return 0;
}

/* Reads the conversation that a mail to staff is about. */
static int read_staff_mail(struct work *w, struct delivery *d) {
    int64_t id = number_named(d->values, "case");
    if (id == 0) return 0;
    int found = staff_mail_load(w, id, d->letter.user_id, number_named(d->values, "said"),
                                number_named(d->values, "by"), &d->reply);
    TRY(found);
    if (!found) delivery_give_up(d, "its reader may not see the conversation any more");
    return 0;
}

QUERY(brand_of_letter,
      "SELECT b.id, b.name FROM cases c JOIN brands b ON b.id = c.brand_id WHERE c.id = :case");

static int letter_read_brand(struct work *w, struct delivery *d, int64_t *id) {
    struct stmt *row;
    int rc = db_row(w->conn, &brand_of_letter, BINDS(B_INT("case", d->letter.case_id)), &row);
    if (rc <= 0) return rc;
    *id = col_int(row, 0);
    d->brand_name = str_dup(w->arena, col_text(row, 1));
    stmt_end(row);
    return 0;
}

/* Reads what a letter about a conversation needs of it: the text of its brand, the sender, the thread. */
static int letter_read_conversation(struct work *w, struct delivery *d) {
    if (d->letter.case_id == 0) return template_load(w, d->template, &d->wording);
    TRY(mailbox_for_letter(w, d->letter.id, d->letter.case_id, &d->mailbox));
    int64_t brand = d->mailbox.brand_id;
    TRY(letter_read_brand(w, d, &brand));
    TRY(template_load_for(w, d->template, brand, &d->wording));
    d->references = arena_array(w->arena, REFERENCES, sizeof *d->references);
    if (d->forward_id) return 0; /* it begins a thread of its own */
    d->reference_count = letter_references(w, &d->letter, d->references, REFERENCES);
    return d->reference_count < 0 ? d->reference_count : 0;
}

/* Reads the letter to be sent, in a snapshot that ends before anything is sent. Returns 1, 0 if there is
 * nothing to send, or an error. */
static int read_letter(struct work *w, void *arg) {
    struct delivery *d = arg;
    struct json_error err;
    struct json *values = NULL;
    TRY(letter_load(w, letter_id(w, d->job), &d->letter));
    if (d->letter.id == 0) return 0;
    int waits = letter_waits(w, &d->letter);
    if (waits) {
        d->waits = waits > 0;
        return waits;
    }
    d->template = template_named(d->letter.template);
    if (d->letter.values.p == NULL || json_parse(w->arena, d->letter.values, &values, &err) < 0)
        delivery_give_up(d, "its values were encrypted with another server key");
    else if (d->template == NULL) delivery_give_up(d, "there is no such template");
    else if (d->letter.user_id == 0 && !str_eq(d->letter.template, S("endpoint")) &&
             !str_eq(d->letter.template, S("forward")) &&
             !str_eq(d->letter.template, S("mailbox_verification")))
        delivery_give_up(d, "its recipient was deleted");
    if (d->status) return 1;
    d->values = values;
    d->forward_id = number_named(values, "forward");
    TRY(letter_read_conversation(w, d));
    TRY(relay_load(w, d->mailbox.id, &d->login));
    struct str hash = value_named(values, "hash");
    int live = hash.p ? link_live(w, hash) : 1;
    TRY(live);
    if (!live) delivery_give_up(d, "its link was used, replaced or has expired");
    TRY(read_message(w, d));
    TRY(read_forward(w, d));
    TRY(read_staff_mail(w, d));
    return 1;
}

/* runs outside of transactions */
static void *mail_deliver(struct work *w, const struct job *j, const atomic_bool *stopping) {
    struct delivery *d = ARENA_NEW(w->arena, struct delivery);
    d->job = j;
    int rc = work_read(w, READ_MS, read_letter, d);
    if (rc < 0) return NULL;
    if (rc && d->status == 0 && !d->waits) compose_and_send(w, d, stopping);
    return d;
}

/* ---- in one write ---------------------------------------------------------------------------- */

static int64_t next_try(const struct work *w, const struct delivery *d) {
    if (d->again) return w->now;
    int64_t wait = FIRST_WAIT << (d->letter.attempts < 8 ? d->letter.attempts : 8);
    return w->now + (wait < LONGEST_WAIT ? wait : LONGEST_WAIT);
}

static void log_delivery(struct desk *desk, void *arg) {
    const struct delivery *d = arg;
    const struct letter *l = &d->letter;
    (void)desk;
    if (d->wording.outdated) log_warn(TEMPLATE_OUTDATED, l->template.p, d->wording.outdated);
    if (d->status == MAIL_REFUSED)
        log_warn("mail %" PRId64 " (%s) was refused by the relay: see its last_error", l->id, l->template.p);
    if (d->status == MAIL_FAILED)
        log_warn("mail %" PRId64 " (%s) could not be delivered: see its last_error", l->id, l->template.p);
    if (d->status == MAIL_QUEUED && !d->again)
        log_warn("mail %" PRId64 " (%s) could not be sent yet and will be tried again", l->id, l->template.p);
}

static void read_settings(struct desk *d, void *arg) {
    (void)arg;
    settings_notified(d, (struct str){0});
}

static void say_held(struct desk *d, void *arg) {
    const struct delivery *dy = arg;
    (void)d;
    if (dy->login.by_oauth)
        log_warn("mail waits until the mailbox %" PRId64 " is connected again", dy->login.mailbox_id);
    else log_warn("mail waits for a relay: set mail.smtp_host and mail.from_address (PUT /settings)");
}

static int delivery_hold(struct work *w, const struct job *j, struct delivery *d) {
    const struct letter *l = &d->letter;
    bool first;
    int held = letter_hold(w, l->id, d->mailbox.id, &first);
    TRY(held);
    if (held) TRY(letter_wake_next(w, l));
    if (held && first) after_commit(w, say_held, d);
    if (held) return job_finish(w, j->id, JOB_COMPLETED, 0, 0, 0, S("[]"));
    after_commit(w, read_settings, NULL); /* another process has just written them */
    return job_postpone(w, j, w->now);
}

/* stores the result */
static int mail_settle(struct work *w, const struct job *j) {
    struct delivery *d = j->outcome;
    if (d == NULL) return -ERR_SERVICE_UNAVAILABLE; /* it could not be read */
    if (d->waits) {
        int still = letter_waits_still(w, &d->letter, j->id);
        TRY(still);
        return job_postpone(w, j, still ? w->now + LETTER_LOOK : w->now);
    }
    if (d->token_busy) return job_postpone(w, j, w->now + TOKEN_BUSY_MS);
    if (d->status == MAIL_HELD) return delivery_hold(w, j, d);
    if (d->status) TRY(letter_set(w, d->letter.id, d->status, d->reason));
    if (d->status && d->status != MAIL_QUEUED) TRY(letter_wake_next(w, &d->letter));
    after_commit(w, log_delivery, d);
    if (d->status == MAIL_QUEUED) return job_postpone(w, j, next_try(w, d));
    bool well = d->status == 0 || d->status == MAIL_SENT;
    return job_finish(w, j->id, well ? JOB_COMPLETED : JOB_FAILED, 0, 0, 0, S("[]"));
}
JOB_CODE(MAIL) = {.run = mail_settle, .outside = mail_deliver, .threads = 4};

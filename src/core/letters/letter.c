#include "core/letters/letter.h"

#include "base/fold.h"
#include "base/limits.h"
#include "core/desk/job.h"
#include "core/letters/link.h"
#include "core/letters/token.h"
#include "core/desk/setting.h"
#include "json/json.h"

#include <inttypes.h>

#define RETRY (24 * TIME_HOUR)
#define VERIFICATIONS_AN_HOUR 10

/* A name may come from a stranger: a form or a claim can attach it to anybody's address. A letter
 * therefore contains the reader's name only if the address is validated, or is the login of an account
 * with a password. */
#define MAY_NAME                                                                        \
    "CASE WHEN e.is_validated = 1 OR (e.is_claim = 0 AND u.password_hash IS NOT NULL) " \
    "THEN 1 ELSE 0 END"
QUERY(letter_address,
      "SELECT e.user_id, e.email, " MAY_NAME " FROM identity_emails e JOIN users u ON u.id = e.user_id "
      "WHERE e.id = :id");
/* Validated addresses; if there is none, the address that mail about the account goes to. */
QUERY(letter_account_addresses, "SELECT e.email, e.is_validated FROM identity_emails e "
                                "JOIN users u ON u.id = e.user_id "
                                "WHERE e.user_id = :user AND e.is_claim = 0 AND u.password_hash IS NOT NULL "
                                "ORDER BY e.is_validated DESC, e.is_primary DESC, e.id");
QUERY(letter_other_addresses, "SELECT e.email FROM identity_emails e "
                              "WHERE e.user_id = :user AND e.id <> :but AND e.is_validated = 1 "
                              "ORDER BY e.is_primary DESC, e.id");
QUERY(letter_addresses_going,
      "SELECT user_id, email FROM identity_emails WHERE id IN @LIST(:ids) ORDER BY user_id, id");
QUERY(letters_of_hour, "SELECT COUNT(*) FROM outgoing_mails "
                       "WHERE user_id = :user AND created_at > :since AND template = :template");
QUERY(letter_insert,
      "INSERT INTO outgoing_mails (id, template, user_id, recipient, letter, message_id, post_id, "
      "recipient_type, case_id, send_after, job_id, status, attempts, retry_until, created_at, updated_at) "
      "VALUES (:id, :template, :user, :recipient, :letter, :message_id, CAST(:post AS BIGINT), "
      "CAST(:type AS INTEGER), CAST(:case AS BIGINT), CAST(:after AS BIGINT), CAST(:job AS BIGINT), "
      "1, 0, :until, :now, :now)");
QUERY(letter_next_id, "SELECT @NEXT_MAIL_ID@");

struct str letter_host(const struct desk *d, struct arena *a) {
    struct str host = d->host;
    if (host.n && host.p[0] == '[') return str_fmt(a, "[IPv6:%.*s", (int)host.n - 1, host.p + 1);
    bool address = strspn(host.p, "0123456789.") >= host.n;
    return address ? str_fmt(a, "[%.*s]", (int)host.n, host.p) : host;
}

struct letter_new {
    const char *template;
    struct letter_to to;
    struct str values;
    int64_t post_id, send_after; /* 0: it carries no message; at once */
    int64_t forward_id;          /* the note of a forward; 0: none */
    int64_t id;                  /* drawn before; 0: none */
    enum recipient_type type;
};

/* A letter about a conversation has a Message-ID by which an answer finds it. The random part keeps it
 * unknown to others. */
static struct str letter_message_id(const struct work *w, const struct letter_new *n) {
    struct arena *a = w->arena;
    struct str host = letter_host(w->desk, a), own = random_uuid(a);
    if (n->to.case_id == 0) return STR_CAT(a, own, S("@"), host);
    struct str token = n->forward_id ? mail_token(w->desk, a, TOKEN_FORWARD_ID, n->forward_id)
                                     : mail_token(w->desk, a, TOKEN_MESSAGE_ID, n->to.case_id);
    return STR_CAT(a, token, S("."), own, S("@"), host);
}

/* The job and the letter name each other, so the id of the letter comes first. */
static int letter_queue(struct work *w, const struct letter_new *n) {
    struct arena *a = w->arena;
    int64_t id = n->id, job, at = n->send_after ? n->send_after : w->now;
    if (id == 0) TRY(db_int(w->conn, &letter_next_id, NULL, &id));
    TRY(job_add_at(w, JOB_MAIL, str_fmt(a, "{\"id\":%" PRId64 "}", id), at, &job));
    return db_later(
        w->conn, &letter_insert,
        BINDS(B_INT("id", id), B_TEXT("template", str_of(n->template)), B_ID("user", n->to.user_id),
              B_TEXT("recipient", n->to.address), B_BLOB("letter", seal(a, &w->desk->mail_key, n->values)),
              B_TEXT("message_id", letter_message_id(w, n)), B_ID("post", n->post_id), B_ID("type", n->type),
              B_ID("case", n->to.case_id), B_ID("after", n->send_after), B_ID("job", n->to.case_id ? job : 0),
              B_INT("until", at + RETRY), B_INT("now", w->now)));
}

static int queue(struct work *w, const char *template, int64_t user_id, struct str recipient,
                 struct str values) {
    return letter_queue(
        w, &(struct letter_new){.template = template, .to = {0, user_id, recipient}, .values = values});
}

int64_t letter_reply_waits(const struct work *w) {
    int64_t delay = setting_int(w->desk, "mail.undo_seconds") * TIME_SECOND;
    return delay ? w->now + delay : 0;
}

int letter_reply(struct work *w, int64_t id, int64_t message_id, enum recipient_type type,
                 struct letter_to to) {
    return letter_queue(
        w, &(struct letter_new){.template = "case_reply",
                                .to = to,
                                .values = str_fmt(w->arena, "{\"post\":%" PRId64 "}", message_id),
                                .post_id = message_id,
                                .send_after = letter_reply_waits(w),
                                .id = id,
                                .type = type});
}

int letter_forward(struct work *w, int64_t note_id, enum recipient_type type, struct letter_to to) {
    return letter_queue(
        w, &(struct letter_new){.template = "forward",
                                .to = to,
                                .values = str_fmt(w->arena, "{\"forward\":%" PRId64 "}", note_id),
                                .post_id = note_id,
                                .forward_id = note_id,
                                .send_after = letter_reply_waits(w),
                                .type = type});
}

/* Counts in the store, for all processes. Writes that concern the same conversation hold its lock. */
QUERY(letters_of_rules, "SELECT COUNT(*) FROM outgoing_mails "
                        "WHERE case_id = :case AND recipient = :recipient AND created_at > :since "
                        "AND template IN ('rule_notification', 'endpoint')");
/* A stranger can open many conversations in the name of another person. Staff are not limited, because
 * each mail may concern them. Writes that take mails of one address wait for each other. */
QUERY(letters_answering, "SELECT COUNT(*) FROM outgoing_mails m JOIN users u ON u.id = m.user_id "
                         "WHERE m.user_id = :user AND u.role_type = :customer AND m.recipient = :recipient "
                         "AND m.created_at > :since AND m.template = 'rule_notification'");
/* Mails of machines: a loop, a notice, an absence, another program. Anybody can write an address in From.
 * So a mail counts for an address of staff, or of an endpoint, only if its DMARC passed, or a stranger
 * could keep these notices away. For a customer it counts unless DMARC failed, because many customers have
 * no DMARC. */
QUERY(letters_unwanted,
      "SELECT 1 FROM mails m WHERE m.from_key = :key AND m.created_at > :since AND m.is_suspended = 1 "
      "AND m.suspension BETWEEN :first AND :last AND (m.dmarc = 2 OR (COALESCE(m.dmarc, 0) <> 3 "
      "AND EXISTS (SELECT 1 FROM users u WHERE u.id = :user AND u.role_type = :customer))) "
      "LIMIT 1");

/* Returns 1 if an automatic mail may go to the address, 0, or a negative error. */
static int letter_of_rule_may(struct work *w, const struct letter_to *to, bool answers) {
    int64_t count = 0, since = w->now - TIME_HOUR;
    struct str key = email_key(w->arena, to->address);
    int unwanted = db_int(w->conn, &letters_unwanted,
                          BINDS(B_TEXT("key", key), B_INT("since", since),
                                B_INT("first", SUSPENDED_LOOP_DETECTED), B_INT("last", SUSPENDED_SPAM),
                                B_INT("user", to->user_id), B_INT("customer", ROLE_CUSTOMER)),
                          &count);
    if (unwanted) return unwanted < 0 ? unwanted : 0;
    if (answers)
        TRY(db_int(w->conn, &letters_answering,
                   BINDS(B_INT("user", to->user_id), B_INT("customer", ROLE_CUSTOMER),
                         B_TEXT("recipient", to->address), B_INT("since", since)),
                   &count));
    if (count >= LETTERS_OF_RULES) return 0;
    if (to->case_id == 0) return 1;
    TRY(db_int(w->conn, &letters_of_rules,
               BINDS(B_INT("case", to->case_id), B_TEXT("recipient", to->address), B_INT("since", since)),
               &count));
    return count < LETTERS_OF_RULES;
}

static int queue_contents(struct work *w, const char *template, struct letter_to to, bool answers,
                          struct str subject, struct str contents) {
    struct buf b = {0};
    struct json_writer j;
    jw_init(&j, &b);
    jw_object(&j);
    jw_key(&j, S("subject"));
    jw_str(&j, subject);
    jw_key(&j, S("contents"));
    jw_str(&j, contents);
    jw_key(&j, S("answers"));
    jw_int(&j, answers);
    jw_end(&j);
    int rc = letter_queue(w, &(struct letter_new){.template = template, .to = to, .values = buf_view(&b)});
    buf_free(&b);
    return rc < 0 ? rc : 1;
}

static int queue_text(struct work *w, const char *template, struct letter_to to, bool answers,
                      struct str subject, struct str contents) {
    int may = letter_of_rule_may(w, &to, answers);
    return may <= 0 ? may : queue_contents(w, template, to, answers, subject, contents);
}

int letter_notice(struct work *w, struct letter_to to, struct str subject, struct str contents) {
    return queue_contents(w, "rule_notification", to, false, subject, contents);
}

int letter_notification(struct work *w, struct letter_to to, bool answers, struct str subject,
                        struct str contents) {
    return queue_text(w, "rule_notification", to, answers, subject, contents);
}

int letter_of_endpoint(struct work *w, struct letter_to to, struct str subject, struct str contents) {
    return queue_text(w, "endpoint", to, false, subject, contents);
}

int letter_staff(struct work *w, const char *template, struct letter_to to, struct str values) {
    return letter_queue(w, &(struct letter_new){.template = template, .to = to, .values = values});
}

int letter_survey(struct work *w, struct letter_to to, struct str subject, struct str token, int64_t hours) {
    struct buf b = {0};
    struct json_writer j;
    jw_init(&j, &b);
    jw_object(&j);
    jw_key(&j, S("subject"));
    jw_str(&j, subject);
    jw_key(&j, S("token"));
    jw_str(&j, token);
    jw_key(&j, S("hours"));
    jw_int(&j, hours);
    jw_end(&j);
    int rc = letter_queue(w, &(struct letter_new){.template = "survey", .to = to, .values = buf_view(&b)});
    buf_free(&b);
    return rc;
}

int letter_mailbox(struct work *w, struct str address, struct str code, int64_t hours) {
    return queue(w, "mailbox_verification", 0, address,
                 str_fmt(w->arena, "{\"token\":\"%s\",\"hours\":%" PRId64 "}", code.p, hours));
}

struct address {
    int64_t user_id;
    struct str text;
    bool may_name; /* the letter may name its reader */
};

static int letter_read_address(struct work *w, int64_t email_id, struct address *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &letter_address, BINDS(B_INT("id", email_id)), &row);
    if (rc <= 0) return rc < 0 ? rc : -ERR_RESOURCE_NOT_FOUND;
    *out = (struct address){col_int(row, 0), str_dup(w->arena, col_text(row, 1)), col_int(row, 2) != 0};
    stmt_end(row);
    return 0;
}

static int with_link(struct work *w, const char *template, enum link_purpose purpose, int64_t email_id) {
    struct address to;
    struct str hash;
    TRY(letter_read_address(w, email_id, &to));
    TRY(link_make(w, purpose, to.user_id, email_id, &hash));
    return queue(w, template, to.user_id, to.text,
                 str_fmt(w->arena, "{\"named\":%d,\"hash\":\"%s\",\"hours\":%" PRId64 "}", to.may_name,
                         hash.p, link_life(w, purpose) / TIME_HOUR));
}

int letters_lately(struct work *w, int64_t user_id, const char *template) {
    int64_t count = 0;
    TRY(db_lock(w->conn, str_fmt(w->arena, "letters:%" PRId64, user_id)));
    TRY(db_int(w->conn, &letters_of_hour,
               BINDS(B_INT("user", user_id), B_TEXT("template", str_of(template)),
                     B_INT("since", w->now - TIME_HOUR)),
               &count));
    return (int)count;
}

/* A limit, because people may claim any address and the desk must not flood it. */
int letter_first_verification(struct work *w, int64_t email_id) {
    struct address to;
    TRY(letter_read_address(w, email_id, &to));
    int count = letters_lately(w, to.user_id, "verification");
    TRY(count);
    if (count >= VERIFICATIONS_AN_HOUR) return 0;
    TRY(with_link(w, "verification", LINK_VERIFY_EMAIL, email_id));
    return 1;
}

int letter_verification(struct work *w, int64_t email_id) {
    int sent = letter_first_verification(w, email_id);
    TRY(sent);
    return sent ? 0
                : fail_state(w,
                             "This person was sent %d verification e-mails within an hour. Try again in "
                             "an hour.",
                             VERIFICATIONS_AN_HOUR);
}

int letter_reset(struct work *w, int64_t email_id) {
    return with_link(w, "password_reset", LINK_RESET_PASSWORD, email_id);
}
int letter_invitation(struct work *w, int64_t email_id) {
    return with_link(w, "invitation", LINK_INVITATION, email_id);
}

/* ---- security notices ------------------------------------------------------------------------ */

struct notice_to { /* recipients of one notice */
    struct str *texts;
    int count;
};

/* Reads the texts of the first column. With two columns, takes the first row and the rows whose second
 * column is true. */
static int recipients(struct work *w, const struct query *q, const struct bind *binds, bool two_columns,
                      struct notice_to *out) {
    int rc;
    *out = (struct notice_to){.texts = arena_array(w->arena, LIMIT_OWNED, sizeof *out->texts)};
    DB_ROWS(rc, w->conn, q, binds, row) {
        bool counts = !two_columns || col_int(row, 1) || out->count == 0;
        if (counts && out->count < LIMIT_OWNED)
            out->texts[out->count++] = str_dup(w->arena, col_text(row, 0));
    }
    return rc;
}

static int queue_notice(struct work *w, const char *template, int64_t user_id, const struct notice_to *to,
                        struct str values) {
    for (int i = 0; i < to->count; i++) TRY(queue(w, template, user_id, to->texts[i], values));
    return 0;
}

int letter_password_changed(struct work *w, int64_t user_id) {
    struct notice_to to;
    if (!setting_bool(w->desk, "mail.notify_password_changes")) return 0;
    TRY(recipients(w, &letter_account_addresses, BINDS(B_INT("user", user_id)), true, &to));
    return queue_notice(w, "password_changed", user_id, &to, S("{\"named\":1}"));
}

/* "m***@example.com": the person recognises it, and a notice can't be used to send a text to somebody. */
static struct str masked(struct arena *a, struct str email) {
    const char *at = memrchr(email.p, '@', email.n);
    size_t first = 1;
    while (first < email.n && ((unsigned char)email.p[first] & 0xC0) == 0x80) first++;
    struct str domain = at ? (struct str){at, email.n - (size_t)(at - email.p)} : S("");
    return STR_CAT(a, ((struct str){email.p, first}), S("***"), domain);
}

static int queue_change(struct work *w, const char *template, int64_t user_id, const struct notice_to *to,
                        struct str changed) {
    struct buf b = {0};
    struct json_writer j;
    jw_init(&j, &b);
    jw_object(&j);
    jw_key(&j, S("named"));
    jw_int(&j, 1);
    jw_key(&j, S("changed"));
    jw_str(&j, changed);
    jw_end(&j);
    int rc = queue_notice(w, template, user_id, to, buf_view(&b));
    buf_free(&b);
    return rc;
}

static int tell_of_addresses(struct work *w, const char *template, int64_t user_id, int64_t but,
                             struct str changed) {
    struct notice_to to;
    TRY(recipients(w, &letter_other_addresses, BINDS(B_INT("user", user_id), B_INT("but", but)), false, &to));
    return queue_change(w, template, user_id, &to, changed);
}

/* A person who logs in by a provider may have no password, but then has a validated address. */
int letter_passkeys(struct work *w, const char *template, int64_t user_id, struct str names) {
    struct notice_to to;
    TRY(recipients(w, &letter_account_addresses, BINDS(B_INT("user", user_id)), true, &to));
    if (to.count == 0) return tell_of_addresses(w, template, user_id, 0, names);
    return queue_change(w, template, user_id, &to, names);
}

int letter_address_added(struct work *w, int64_t email_id) {
    struct address new;
    TRY(letter_read_address(w, email_id, &new));
    return tell_of_addresses(w, "address_added", new.user_id, email_id, masked(w->arena, new.text));
}

struct leaver { /* a person and the addresses they lose */
    int64_t user_id;
    struct str changed;
    struct leaver *next;
};

int letters_addresses_removed(struct work *w, struct str email_ids) {
    struct leaver *first = NULL;
    int rc;
    DB_ROWS(rc, w->conn, &letter_addresses_going, BINDS(B_TEXT("ids", email_ids)), row) {
        struct str text = masked(w->arena, col_text(row, 1));
        if (first && first->user_id == col_int(row, 0)) {
            first->changed = STR_CAT(w->arena, first->changed, S(", "), text);
            continue;
        }
        struct leaver *l = ARENA_NEW(w->arena, struct leaver);
        *l = (struct leaver){col_int(row, 0), text, first};
        first = l;
    }
    for (struct leaver *l = first; rc >= 0 && l; l = l->next)
        rc = tell_of_addresses(w, "address_removed", l->user_id, 0, l->changed);
    return rc;
}

/* ---- the states of a letter ------------------------------------------------------------------
 *
 *              no relay        +-> REFUSED    the relay refuses it
 *     HELD <------------+      |
 *       |               |      +-> FAILED     it is no longer worth sending, or a day has passed
 *       +--> QUEUED ----+------+
 *       a relay   |            +-> SENT ---+  the relay accepted it
 *       is set    |                        +-> BOUNCED   a delivery report says that it was not delivered
 *                 +------------------------+
 *
 * QUEUED may become BOUNCED: the relay accepted the mail, and the server crashed before it stored that.
 * BOUNCED is final, even if the mail is reported as sent later. letter_hold makes the move to HELD,
 * letters_release the move from it, letter_set (core/cases/letter_result.h) all others. Each statement
 * names the states it moves from in its WHERE. */

QUERY(letter_by_id, "SELECT u.id, m.status, m.attempts, m.retry_until, m.template, m.recipient, "
                    "COALESCE(u.full_name, ''), m.letter, m.message_id, COALESCE(m.case_id, 0), m.created_at "
                    "FROM outgoing_mails m LEFT JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL "
                    "WHERE m.id = :id AND m.status = 1");
QUERY(letter_by_message_id,
      "SELECT id, template, recipient FROM outgoing_mails WHERE message_id = :message_id LIMIT 1");
QUERY(letter_known, "SELECT id, template, recipient FROM outgoing_mails WHERE id = :id");
/* The system mailbox sends only if mail.from_address is set. */
#define MAILBOX_RELAYS                                                                                 \
    "b.smtp_host IS NOT NULL AND (b.is_system = 0 OR EXISTS (SELECT 1 FROM settings f WHERE f.name = " \
    "'mail.from_address' AND f.value <> ''))"
#define OWN_RELAY "(b.id = :mailbox OR (CAST(:mailbox AS BIGINT) = 0 AND b.is_system = 1))"
/* A relay without consent (oauth_state 1: CONSENT_NEEDED) takes no mail. */
QUERY(letter_wait, "UPDATE outgoing_mails SET status = 3, updated_at = :now "
                   "WHERE id = :id AND status = 1 AND (EXISTS (SELECT 1 FROM mailboxes b "
                   "WHERE " MAILBOX_RELAYS " AND b.oauth_state = 1 AND " OWN_RELAY
                   ") OR (NOT EXISTS (SELECT 1 FROM settings s "
                   "WHERE s.name = 'mail.smtp_host' AND s.value <> '' AND EXISTS (SELECT 1 FROM settings f "
                   "WHERE f.name = 'mail.from_address' AND f.value <> '')) "
                   "AND NOT EXISTS (SELECT 1 FROM mailboxes b WHERE " MAILBOX_RELAYS " AND " OWN_RELAY ")))");
QUERY(letter_waiting_too, "SELECT id FROM outgoing_mails WHERE status = 3 AND id <> :id LIMIT 1");
QUERY(letters_wake, "INSERT INTO jobs (id, kind, status, input, attempts, run_at, created_at, updated_at) "
                    "SELECT @NEXT_JOB_IDS@, '" JOB_MAIL_STORED
                    "', 1, '{\"id\":' || CAST(m.id AS TEXT) || '}', 0, CAST(:now AS BIGINT), "
                    "CAST(:now AS BIGINT), CAST(:now AS BIGINT) "
                    "FROM outgoing_mails m WHERE m.status = 3 "
                    "ORDER BY m.id");
QUERY(letters_queue,
      "UPDATE outgoing_mails SET status = 1, retry_until = :until, updated_at = :now WHERE status = 3");

#define RELAY_LOCK S("mail relay") /* no mail is held while held mails are released */

int letter_load(struct work *w, int64_t id, struct letter *out) {
    struct arena *a = w->arena;
    struct stmt *row;
    int rc = db_row(w->conn, &letter_by_id, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    *out = (struct letter){.id = id,
                           .user_id = col_int(row, 0),
                           .status = (int)col_int(row, 1),
                           .attempts = (int)col_int(row, 2),
                           .retry_until = col_int(row, 3),
                           .template = str_dup(a, col_text(row, 4)),
                           .recipient = str_dup(a, col_text(row, 5)),
                           .name = str_dup(a, col_text(row, 6)),
                           .values = seal_open(a, &w->desk->mail_key, col_text(row, 7)),
                           .message_id = str_dup(a, col_text(row, 8)),
                           .case_id = col_int(row, 9),
                           .created_at = col_int(row, 10)};
    stmt_end(row);
    return 1;
}

static int letter_find(struct work *w, const struct query *q, const struct bind *binds, struct letter *out) {
    struct stmt *row;
    int rc = db_row(w->conn, q, binds, &row);
    if (rc <= 0) return rc;
    *out = (struct letter){.id = col_int(row, 0),
                           .template = str_dup(w->arena, col_text(row, 1)),
                           .recipient = str_dup(w->arena, col_text(row, 2))};
    stmt_end(row);
    return 1;
}

int letter_by_message(struct work *w, struct str message_id, struct letter *out) {
    return letter_find(w, &letter_by_message_id, BINDS(B_TEXT("message_id", message_id)), out);
}

int letter_by_id_sent(struct work *w, int64_t id, struct letter *out) {
    return letter_find(w, &letter_known, BINDS(B_INT("id", id)), out);
}

bool letters_leave(const struct work *w, bool of_conversations) {
    const struct desk *d = w->desk;
    if (d->settings == NULL) return false; /* the desk is being filled */
    unsigned relays = mailbox_relays(d);
    if (of_conversations && (relays & RELAY_OF_OTHERS)) return true;
    /* without a sender, neither the relay of the settings nor that of the system mailbox is used */
    return ((relays & RELAY_OF_SYSTEM_MAILBOX) || setting_text(d, "mail.smtp_host", w->arena).n) &&
           setting_text(d, "mail.from_address", w->arena).n;
}

int letter_hold(struct work *w, int64_t id, int64_t mailbox_id, bool *first) {
    int64_t other;
    TRY(db_share(w->conn, RELAY_LOCK));
    int held = db_exec(w->conn, &letter_wait,
                       BINDS(B_INT("id", id), B_INT("mailbox", mailbox_id), B_INT("now", w->now)));
    TRY(held);
    int others = db_int(w->conn, &letter_waiting_too, BINDS(B_INT("id", id)), &other);
    TRY(others);
    *first = held && others == 0;
    return held;
}

int letters_release(struct work *w) {
    const struct bind *binds = BINDS(B_INT("now", w->now), B_INT("until", w->now + RETRY));
    TRY(db_lock(w->conn, RELAY_LOCK));
    TRY(db_exec(w->conn, &letters_wake, binds));
    TRY(jobs_announce(w, JOB_MAIL));
    return db_exec(w->conn, &letters_queue, binds);
}

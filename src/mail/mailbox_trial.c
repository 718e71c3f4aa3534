/* Runs the test of a mailbox (core/mail/mailbox_test.h) step by step, and says in words what failed.
 *
 * It connects to the relay and to the IMAP server that the desk uses anyway, by the same functions, with the
 * same rules for addresses, certificates and passwords. Owners choose these servers, so a test reaches nothing
 * that the desk does not reach without it. */
#include "core/all/finish.h"
#include "core/desk/job.h"
#include "core/desk/setting.h"
#include "core/letters/token.h"
#include "core/mail/mailbox_test.h"
#include "json/json.h"
#include "mail/collector.h"
#include "mail/imap.h"
#include "mail/mime.h"
#include "mail/relay.h"

#include <time.h>

#define READ_MS 10000
#define ARRIVAL_MS TIME_MINUTE            /* by the clock of the desk */
#define ARRIVAL_MOST_MS (2 * TIME_MINUTE) /* by the clock of the machine: the lease of the job is longer */
#define LOOK_MS 250
#define RELAY_S 30 /* at most, because all steps must end before the lease of the job */
#define SENDER_NAME "Test of the desk"

struct trial {
    int64_t id;
    bool found, is_enabled, is_verified, reads_imap;
    struct str address, token;
    struct collected imap;
    struct relay_login login;
    struct relay *relay; /* of the login */
    struct json_writer steps;
    struct buf out;
    bool failed;
    struct str json; /* the steps */
    bool arrived;
    struct str verdicts;
};

/* ---- steps ----------------------------------------------------------------------------------- */

enum step_result { STEP_OK, STEP_FAILED, STEP_WARNING, STEP_SKIPPED };

static void trial_step(struct trial *t, const char *name, enum step_result result, struct str message,
                       const char *advice) {
    static const char *const words[] = {"OK", "FAILED", "WARNING", "SKIPPED"};
    struct json_writer *w = &t->steps;
    t->failed = t->failed || result == STEP_FAILED;
    jw_object(w);
    jw_key(w, S("name"));
    jw_str(w, str_of(name));
    jw_key(w, S("result"));
    jw_str(w, str_of(words[result]));
    jw_key(w, S("message"));
    jw_str(w, message);
    jw_key(w, S("advice"));
    if (advice) jw_str(w, str_of(advice));
    else jw_null(w);
    jw_end(w);
}

/* The stages of an exchange with a server: those before the fault are OK, those behind it are skipped. fault
 * NULL: all are OK. */
static void exchange_steps(struct trial *t, const char *const names[STAGES], const char *const done[STAGES],
                           const struct mail_fault *fault, bool secure, bool logs_in) {
    for (int i = 0; i < STAGES; i++) {
        bool used = (i != STAGE_TLS || secure) && (i != STAGE_LOGIN || logs_in);
        if (fault && (int)fault->stage == i)
            trial_step(t, names[i], STEP_FAILED, str_of(fault->message), fault->advice);
        else if (fault && (int)fault->stage < i)
            trial_step(t, names[i], STEP_SKIPPED, S("An earlier step failed."), NULL);
        else if (!used)
            trial_step(t, names[i], STEP_SKIPPED,
                       i == STAGE_TLS ? S("The settings ask for no encryption.")
                                      : S("The settings have no user."),
                       NULL);
        else trial_step(t, names[i], STEP_OK, str_of(done[i]), NULL);
    }
}

/* ---- the mailbox ----------------------------------------------------------------------------- */

QUERY(mailbox_tested,
      "SELECT address, is_enabled, CASE WHEN verified_at IS NULL THEN 0 ELSE 1 END, test_token "
      "FROM mailboxes WHERE id = :id AND deleted_at IS NULL AND test_token IS NOT NULL");

static int trial_read(struct work *w, void *arg) {
    struct trial *t = arg;
    struct stmt *row;
    int rc = db_row(w->conn, &mailbox_tested, BINDS(B_INT("id", t->id)), &row);
    t->found = rc == 1;
    if (rc <= 0) return rc;
    t->address = col_null(row, 0) ? setting_text(w->desk, "mail.from_address", w->arena)
                                  : str_dup(w->arena, col_text(row, 0));
    t->is_enabled = col_int(row, 1);
    t->is_verified = col_int(row, 2);
    t->token = str_dup(w->arena, col_text(row, 3));
    stmt_end(row);
    int imap = collected_load(w, t->id, &t->imap);
    TRY(imap);
    TRY(relay_load(w, t->id, &t->login));
    t->reads_imap = imap;
    return 1;
}

/* Returns false if nothing can be sent. */
static bool try_mailbox(struct trial *t) {
    if (t->address.n == 0)
        trial_step(t, "mailbox", STEP_FAILED, S("The mailbox has no address."),
                   "Let an owner set mail.from_address.");
    else if (!t->is_enabled)
        trial_step(t, "mailbox", STEP_FAILED, S("The mailbox is disabled: mails to it are refused."),
                   "Enable the mailbox, and test it again.");
    else if (!t->is_verified)
        trial_step(t, "mailbox", STEP_WARNING,
                   S("The mailbox is not verified: replies leave with another address."),
                   "Follow the link in its verification e-mail, or send that again.");
    else trial_step(t, "mailbox", STEP_OK, S("The mailbox is enabled and verified."), NULL);
    return t->address.n && t->is_enabled;
}

/* A mailbox by OAuth needs an access token for both ways. Returns false if there is none. */
static bool try_consent(struct work *w, struct trial *t, const atomic_bool *stopping) {
    struct mail_token token;
    bool in = t->reads_imap && t->imap.by_oauth;
    if (!in && !t->login.by_oauth) return true;
    enum mail_token_result result = mail_token_await(w, t->id, stopping, &token);
    if (result == MAIL_TOKEN_READY) {
        if (in) t->imap.account.bearer = token.text;
        if (t->login.by_oauth) t->relay->bearer = token.text;
        trial_step(t, "consent", STEP_OK, S("The provider gives access tokens."), NULL);
        return true;
    }
    trial_step(t, "consent", STEP_FAILED, token.why.n ? token.why : S("The account was changed meanwhile."),
               result == MAIL_TOKEN_CONSENT
                   ? "Let an owner connect the mailbox (POST /mailboxes/:id/oauth)."
                   : "Try again in a minute. If it fails again, compare the addresses of the provider.");
    return false;
}

/* ---- the way out ----------------------------------------------------------------------------- */

static struct str trial_mail(struct work *w, const struct trial *t) {
    struct mail m = {
        .from = t->address,
        .from_name = S(SENDER_NAME),
        .to = t->address,
        .to_name = S(""),
        .subject = mailbox_test_subject(w->arena, t->token),
        .text = S("Somebody tests this mailbox. The desk has sent this mail to itself, and removes it "
                  "when it arrives.\n"),
        .message_id = STR_CAT(w->arena, S("test."), t->token, S("@"),
                              t->relay->hello.n ? t->relay->hello : S("localhost")),
        .loop = loop_mark(w->desk, w->arena),
        .date = w->now,
        .cause = MAIL_NOTICE};
    return mime_write(w->arena, &m);
}

/* Returns true if the relay has taken the mail. */
static bool try_relay(struct work *w, struct trial *t, const atomic_bool *stopping) {
    static const char *const names[STAGES] = {"relay_connection", "relay_encryption", "relay_login",
                                              "relay_mail"};
    static const char *const done[STAGES] = {"The relay answers.", "The connection is encrypted.",
                                             "The relay accepts the login.", "The relay has taken the mail."};
    struct mail_fault fault = {0};
    struct str reason, own = mime_address(w->arena, t->address), mail = trial_mail(w, t);
    if (t->relay->host.n == 0) {
        fault = (struct mail_fault){.advice = "Let an owner set mail.smtp_host and the login (PUT "
                                              "/settings), or smtp_host of the mailbox."};
        snprintf(fault.message, sizeof fault.message, "The desk has no relay: it can't send mail.");
    } else if (own.p == NULL || mail.p == NULL) {
        fault = (struct mail_fault){.stage = STAGE_ACCEPT, .advice = "Give the mailbox another address."};
        snprintf(fault.message, sizeof fault.message, "The address of the mailbox is not valid for mail.");
    } else {
        t->relay->fault = &fault;
        if (smtp_send(w->arena, t->relay, own, own, mail, stopping, &reason) == SMTP_SENT)
            return exchange_steps(t, names, done, NULL, t->relay->security != SMTP_PLAIN, t->relay->user.n),
                   true;
    }
    exchange_steps(t, names, done, &fault, t->relay->security != SMTP_PLAIN, t->relay->user.n);
    return false;
}

/* ---- the way in ------------------------------------------------------------------------------ */

/* The session is open. Looks at the folders as the desk does before it reads. */
static enum imap_result try_folders(struct imap *s, const struct collected *x) {
    enum imap_result rc = imap_select(s, x->folder);
    return rc == IMAP_OK && x->after.p ? imap_look(s, x->after) : rc;
}

/* Returns true if the desk can read the account. */
static bool try_imap(struct trial *t, const atomic_bool *stopping) {
    static const char *const names[STAGES] = {"imap_connection", "imap_encryption", "imap_login",
                                              "imap_folder"};
    static const char *const done[STAGES] = {"The IMAP server answers.", "The connection is encrypted.",
                                             "The IMAP server accepts the login.",
                                             "The folders can be used."};
    struct mail_fault fault = {.stage = STAGE_CONNECT, .advice = "Let an owner correct the IMAP account."};
    enum imap_result rc = IMAP_LATER;
    if (t->imap.wrong) {
        snprintf(fault.message, sizeof fault.message, "%s", t->imap.wrong);
    } else {
        struct imap *s = imap_open(&t->imap.account, stopping, &rc);
        if (rc != IMAP_OK) {
            fault = *imap_fault(s);
        } else if ((rc = try_folders(s, &t->imap)) != IMAP_OK) {
            fault.stage = STAGE_ACCEPT;
            fault.advice = "Create the folder, or let an owner correct imap_folder and imap_after.";
            struct str said = str_of(imap_reason(s)), secret = t->imap.account.password;
            bool leaks = secret.n && memmem(said.p, said.n, secret.p, secret.n);
            snprintf(fault.message, sizeof fault.message, "A folder can't be used%s%s", leaks ? "." : ": ",
                     leaks ? "" : said.p);
        }
        imap_close(s);
    }
    exchange_steps(t, names, done, rc == IMAP_OK ? NULL : &fault, t->imap.account.security != SMTP_PLAIN,
                   true);
    return rc == IMAP_OK;
}

static int trial_look(struct work *w, void *arg) {
    struct trial *t = arg;
    return mailbox_test_look(w, t->id, t->token, &t->arrived, &t->verdicts);
}

/* Looks again and again whether the mail has arrived. */
static void await_arrival(struct work *w, struct trial *t, const atomic_bool *stopping) {
    int64_t over = clock_now(&w->desk->clock) + ARRIVAL_MS, most = clock_monotonic() + ARRIVAL_MOST_MS;
    while (!atomic_load(stopping) && work_read(w, READ_MS, trial_look, t) >= 0 && !t->arrived &&
           clock_now(&w->desk->clock) < over && clock_monotonic() < most)
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
}

static void try_arrival(struct work *w, struct trial *t, bool may_come, const atomic_bool *stopping) {
    if (!may_come) {
        trial_step(t, "arrival", STEP_SKIPPED, S("An earlier step failed."), NULL);
        trial_step(t, "authentication", STEP_SKIPPED, S("No mail has arrived."), NULL);
        return;
    }
    await_arrival(w, t, stopping);
    if (!t->arrived) {
        trial_step(
            t, "arrival", STEP_FAILED,
            S("The relay has taken the mail, but it did not arrive within a minute."),
            t->reads_imap
                ? "Look for the mail in the IMAP account and among its junk, and compare the address "
                  "of the mailbox with that of the account."
                : "Let the mail server of the domain hand mails for this address to the desk, by LMTP or "
                  "deskd mail-in, or let an owner set the IMAP account.");
        trial_step(t, "authentication", STEP_SKIPPED, S("No mail has arrived."), NULL);
        return;
    }
    trial_step(t, "arrival", STEP_OK, S("The mail has arrived."), NULL);
    if (t->verdicts.p == NULL)
        trial_step(t, "authentication", STEP_SKIPPED,
                   S("No mail server that the desk trusts has checked the sender."), NULL);
    else if (memmem(t->verdicts.p, t->verdicts.n, "FAIL", 4))
        trial_step(t, "authentication", STEP_WARNING, t->verdicts,
                   "Compare the records of the domain: GET /mailboxes/:id/configuration.");
    else trial_step(t, "authentication", STEP_OK, t->verdicts, NULL);
}

/* ---- the job --------------------------------------------------------------------------------- */

static void trial_run(struct work *w, struct trial *t, const atomic_bool *stopping) {
    t->relay = &t->login.relay;
    if (t->relay->timeout_s > RELAY_S) t->relay->timeout_s = RELAY_S;
    jw_init(&t->steps, &t->out);
    jw_array(&t->steps);
    bool usable = try_mailbox(t) && try_consent(w, t, stopping);
    bool sent = usable && try_relay(w, t, stopping);
    bool reads = !usable || !t->reads_imap || try_imap(t, stopping);
    try_arrival(w, t, sent && reads, stopping);
    jw_end(&t->steps);
    t->json = buf_take(&t->out, w->arena);
}

static void *mailbox_trial(struct work *w, const struct job *j, const atomic_bool *stopping) {
    struct trial *t = ARENA_NEW(w->arena, struct trial);
    struct json *input;
    struct json_error err;
    *t = (struct trial){0};
    if (json_parse(w->arena, j->input, &input, &err) < 0) return NULL;
    const struct json *id = json_member(input, S("id"));
    if (id == NULL || !str_to_int(id->text, &t->id)) return NULL;
    if (work_read(w, READ_MS, trial_read, t) < 0) return NULL;
    if (t->found) trial_run(w, t, stopping);
    return atomic_load(stopping) ? NULL : t; /* another process, or the next start, runs it again */
}

static int mailbox_trial_settle(struct work *w, const struct job *j) {
    struct trial *t = j->outcome;
    if (t == NULL) return -ERR_SERVICE_UNAVAILABLE;
    if (t->found) TRY(mailbox_test_end(w, t->id, t->token, !t->failed, t->json));
    return job_finish(w, j->id, JOB_COMPLETED, 0, 0, 0, S("[]"));
}
JOB_CODE(MAILBOX_TEST) = {.run = mailbox_trial_settle, .outside = mailbox_trial, .threads = 2};

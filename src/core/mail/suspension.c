/* A rule returns 1 and the reason if it hits, 0 if not, or a negative error. The reason is for staff who
 * read the list of suspended mails. It quotes headers, so it is as hostile as the mail; it is one line of
 * valid UTF-8, because the headers are. */
#include "core/mail/suspension.h"

#include "core/desk/setting.h"

#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>

#define QUOTED "%.*s"
#define QUOTE(s) (int)quotable(s).n, quotable(s).p
#define QUOTED_MAX 200

/* The beginning of a text, in whole characters. */
static struct str quotable(struct str s) {
    if (s.p == NULL) return S("");
    if (s.n > QUOTED_MAX)
        for (s.n = QUOTED_MAX; s.n && (s.p[s.n] & 0xC0) == 0x80;) s.n--;
    return s;
}

/* ---- reading headers ------------------------------------------------------------------------- */

/* The first word of a value, without comments and parameters: "auto-replied" of "(x) Auto-Replied;
 * owner=a". */
static struct str sign_word(struct str s) {
    for (s = str_trim(s); s.n && *s.p == '(';) {
        int depth = 0;
        size_t i = 0;
        for (; i < s.n && (depth += s.p[i] == '(' ? 1 : s.p[i] == ')' ? -1 : 0) > 0; i++) {}
        s = str_trim((struct str){s.p + (i < s.n ? i + 1 : s.n), i < s.n ? s.n - i - 1 : 0});
    }
    size_t n = 0;
    while (n < s.n && !in_set(s.p[n], "; \t(,")) n++;
    return (struct str){s.p, n};
}

static bool word_is(struct str header, const char *word) {
    return header.p && str_eqi(sign_word(header), str_of(word));
}

static bool submitted_automatically(const struct mail_signs *s) {
    return s->auto_submitted.p && str_trim(s->auto_submitted).n && !word_is(s->auto_submitted, "no");
}

/* The output of a program that runs at fixed times (mail/read_child.c). */
static bool is_of_cron(const struct mail_signs *s) { return str_starts(s->autoreply, S("X-Cron-Env:")); }

static bool is_bulk(const struct mail_signs *s) {
    return word_is(s->precedence, "bulk") || word_is(s->precedence, "list") || word_is(s->precedence, "junk");
}

static bool has_empty_return_path(const struct incoming *m) {
    return m->envelope_from.p && (m->envelope_from.n == 0 || str_eq(m->envelope_from, S("<>")));
}

/* ---- the rules, in their order --------------------------------------------------------------- */

static int has_invalid_headers(struct work *w, const struct judged *j, struct str *reason) {
    if (j->mail->signs.from_headers < 2) return 0;
    *reason = str_fmt(w->arena, "The mail has %d From headers or authors.", j->mail->signs.from_headers);
    return 1;
}

static int has_no_from(struct work *w, const struct judged *j, struct str *reason) {
    (void)w;
    if (j->mail->signs.from_headers && j->mail->from.address.n) return 0;
    *reason = S("The mail has no address in From.");
    return 1;
}

static int has_invalid_from(struct work *w, const struct judged *j, struct str *reason) {
    if (j->sender.key.p) return 0;
    *reason = str_fmt(w->arena, "From has no valid address: " QUOTED, QUOTE(j->mail->from.address));
    return 1;
}

static int is_from_mailbox(struct work *w, const struct judged *j, struct str *reason) {
    *reason = str_fmt(w->arena, QUOTED " is an address of this desk.", QUOTE(j->sender.address));
    return mailbox_owns(w, j->sender.address);
}

/* Only mails that became messages count, so a flood that is suspended keeps nobody out when its hour is
 * over. Mails whose DMARC passed and all others are counted apart, so who only writes the address in From
 * does not use up the limit of its owner. */
#define LATELY(more)                                                                                    \
    "SELECT COUNT(*) FROM (SELECT m.id FROM mails m WHERE m.from_key = :key AND m.created_at > :since " \
    "AND m.status = 3 AND CASE WHEN m.dmarc = 2 THEN 1 ELSE 0 END = :proven " more " LIMIT :most) n"
QUERY(mails_lately, LATELY(""));
QUERY(mails_lately_of_case, LATELY("AND m.case_id = :case"));

/* Returns 1 if `most` mails of the address were taken in the last hour, 0 if not, or a negative error. */
static int sent_lately(struct work *w, const struct judged *j, const struct query *q, int most) {
    int64_t n = 0;
    TRY(db_int(w->conn, q,
               BINDS(B_TEXT("key", j->sender.key), B_INT("since", w->now - TIME_HOUR),
                     B_INT("case", j->thread.found ? j->thread.now.id : 0),
                     B_INT("proven", j->seen.dmarc == VERDICT_PASS), B_INT("most", most)),
               &n));
    return n >= most;
}

/* Processes that take mails of one address wait for each other here, so the limits are exact. */
static int is_loop(struct work *w, const struct judged *j, struct str *reason) {
    const struct mail_signs *s = &j->mail->signs;
    for (int i = 0; i < s->loop_count; i++)
        if (str_eqi(str_trim(s->loops[i]), loop_mark(w->desk, w->arena))) {
            *reason = S("This desk sent the mail: it has its X-Desk-Loop header.");
            return 1;
        }
    TRY(db_lock(w->conn, STR_CAT(w->arena, S("mails of "), j->sender.key)));
    *reason = str_fmt(w->arena,
                      "More than %d mails came from the address to this conversation within an "
                      "hour.",
                      CASE_MAILS_AN_HOUR);
    int rc = j->thread.found ? sent_lately(w, j, &mails_lately_of_case, CASE_MAILS_AN_HOUR) : 0;
    if (rc) return rc;
    *reason =
        str_fmt(w->arena, "More than %d mails came from the address within an hour.", ADDRESS_MAILS_AN_HOUR);
    return sent_lately(w, j, &mails_lately, ADDRESS_MAILS_AN_HOUR);
}

static int is_blocked(struct work *w, const struct judged *j, struct str *reason) {
    *reason =
        str_fmt(w->arena, "mail.blocklist has the address or its domain: " QUOTED, QUOTE(j->sender.address));
    return mail_address_blocked(w->desk, w->arena, j->sender.address);
}

/* Mail servers may write no address in From. */
static int is_delivery_failure(struct work *w, const struct judged *j, struct str *reason) {
    const struct mail_signs *s = &j->mail->signs;
    (void)w;
    *reason = S("The mail reports about a mail of this desk, which could not be delivered or was delayed.");
    if (s->is_bounce) return 1;
    *reason = S("The mail is a report of a mail server.");
    if (s->is_report) return 1;
    *reason = S("The mail has no valid address in From, and it says that a mail could not be delivered.");
    return s->is_notice && j->sender.key.p == NULL;
}

/* A program sent it, and it says that a mail of somebody could not be delivered. */
static int is_automated_notice(struct work *w, const struct judged *j, struct str *reason) {
    const struct mail_signs *s = &j->mail->signs;
    (void)w;
    *reason = S("A program sent the mail, and it says that a mail could not be delivered.");
    return s->is_notice && (submitted_automatically(s) || is_bulk(s) || has_empty_return_path(j->mail));
}

static int is_mailer_daemon(struct work *w, const struct judged *j, struct str *reason) {
    *reason = str_fmt(w->arena, "The sender is a mail server: " QUOTED, QUOTE(j->sender.address));
    return mail_address_is_daemon(j->sender.address);
}

/* Subjects of vacation messages: alone they prove nothing, because people write such subjects, too. */
static bool has_vacation_subject(struct arena *a, struct str subject) {
    static const char *const beginnings[] = {"out of office",
                                             "out of the office",
                                             "automatic reply",
                                             "auto reply",
                                             "auto-reply",
                                             "autoreply",
                                             "auto:",
                                             "on vacation",
                                             "abwesenheit",
                                             "automatische antwort",
                                             "abwesend",
                                             "réponse automatique",
                                             "absence du bureau",
                                             "absent du bureau",
                                             "absence :",
                                             "respuesta automática",
                                             "fuera de la oficina",
                                             "risposta automatica",
                                             "fuori sede",
                                             "resposta automática",
                                             "fora do escritório",
                                             "automatisch antwoord",
                                             "afwezig",
                                             "autosvar",
                                             "frånvaro",
                                             "automatyczna odpowiedź",
                                             "poza biurem",
                                             "automatická odpověď",
                                             "автоответ",
                                             "автоматический ответ",
                                             "不在",
                                             "自動返信",
                                             "自动回复",
                                             "自動回覆",
                                             NULL};
    char *folded = subject.p ? g_utf8_casefold(subject.p, (gssize)subject.n) : NULL;
    struct str text = folded ? str_trim(str_dup(a, str_of(folded))) : (struct str){0};
    g_free(folded);
    for (const char *const *b = beginnings; *b && text.p; b++)
        if (str_starts(text, str_of(*b))) return true;
    return false;
}

static int is_out_of_office(struct work *w, const struct judged *j, struct str *reason) {
    const struct mail_signs *s = &j->mail->signs;
    *reason = str_fmt(w->arena, "Auto-Submitted: " QUOTED, QUOTE(s->auto_submitted));
    if (word_is(s->auto_submitted, "auto-replied")) return 1;
    *reason = s->autoreply.p ? str_fmt(w->arena, QUOTED, QUOTE(s->autoreply))
                             : str_fmt(w->arena, "Precedence: " QUOTED, QUOTE(s->precedence));
    if ((s->autoreply.p && !is_of_cron(s)) || word_is(s->precedence, "auto_reply") ||
        word_is(s->precedence, "auto-reply"))
        return 1;
    *reason =
        str_fmt(w->arena, "The subject is that of an automatic reply: " QUOTED, QUOTE(j->mail->subject));
    bool sign = submitted_automatically(s) || is_bulk(s) || s->auto_response_suppress.p ||
                has_empty_return_path(j->mail);
    return sign && has_vacation_subject(w->arena, j->mail->subject);
}

static int is_automated(struct work *w, const struct judged *j, struct str *reason) {
    const struct mail_signs *s = &j->mail->signs;
    *reason = str_fmt(w->arena, "Auto-Submitted: " QUOTED, QUOTE(s->auto_submitted));
    if (submitted_automatically(s)) return 1;
    *reason = str_fmt(w->arena, "Precedence: " QUOTED, QUOTE(s->precedence));
    if (is_bulk(s)) return 1;
    *reason = str_fmt(w->arena, "The mail is from a mailing list: " QUOTED, QUOTE(s->list_id));
    if (s->list_id.p) return 1;
    *reason = str_fmt(w->arena, QUOTED, QUOTE(s->autoreply));
    if (is_of_cron(s)) return 1;
    *reason = S("The mail is a reply to a calendar invitation.");
    if (s->is_calendar_reply) return 1;
    *reason = S("The return path of the mail is empty, so a program sent it.");
    return has_empty_return_path(j->mail);
}

static int is_from_noreply(struct work *w, const struct judged *j, struct str *reason) {
    *reason = str_fmt(w->arena, "The sender takes no replies: " QUOTED, QUOTE(j->sender.address));
    return mail_address_is_noreply(j->sender.address);
}

/* "7.2", "7.2 (+++++++)", "score=7.2 required=5.0". Returns 0 if there is no number, or one of no spam
 * filter. */
static double read_score(struct arena *a, struct str s) {
    const char *text = str_dup(a, s).p, *named = strstr(text, "score=");
    double score = g_ascii_strtod(named ? named + strlen("score=") : text, NULL);
    return score < 1e6 ? score : 0;
}

static int is_spam(struct work *w, const struct judged *j, struct str *reason) {
    const struct mail_signs *s = &j->mail->signs;
    int64_t most = setting_int(w->desk, "mail.spam_score");
    *reason = str_fmt(w->arena, "X-Spam-Flag: " QUOTED, QUOTE(s->spam_flag));
    if (word_is(s->spam_flag, "yes") || word_is(s->spam_flag, "true")) return 1;
    *reason = str_fmt(w->arena, "X-Spam-Status: " QUOTED, QUOTE(s->spam_status));
    if (word_is(s->spam_status, "yes")) return 1;
    struct str said = s->spam_score.p ? s->spam_score : s->spam_status;
    double score = most && said.p ? read_score(w->arena, said) : 0;
    if (score <= (double)most) return 0;
    *reason =
        str_fmt(w->arena, "The spam score %.1f is over mail.spam_score, which is %d.", score, (int)most);
    return 1;
}

static int has_invalid_token(struct work *w, const struct judged *j, struct str *reason) {
    *reason = str_fmt(w->arena, "The token was not made by this desk: " QUOTED, QUOTE(j->thread.forged));
    return j->thread.verdict == TOKEN_FORGED;
}

static int is_unregistered(struct work *w, const struct judged *j, struct str *reason) {
    *reason = str_fmt(w->arena, "mail.require_registered is on, and no user has the address " QUOTED,
                      QUOTE(j->sender.address));
    return !j->asked && j->sender.user_id == 0 && setting_bool(w->desk, "mail.require_registered");
}

static int is_unverified(struct work *w, const struct judged *j, struct str *reason) {
    *reason = S("The sender is a member of staff, and no trusted Authentication-Results header says that "
                "DMARC passed.");
    if (j->sender.rank >= ROLE_COLLABORATOR && !sender_is_proven_staff(&j->sender, &j->seen)) return 1;
    *reason = str_fmt(w->arena, "mail.require_verified is on, and the address is not verified: " QUOTED,
                      QUOTE(j->sender.address));
    return !j->asked && !j->sender.is_validated && setting_bool(w->desk, "mail.require_verified");
}

/* An answer to a forward never begins a conversation, whatever became of that of the forward. */
static int is_not_asked(struct work *w, const struct judged *j, struct str *reason) {
    *reason = S("The note of the forward that the mail answers was deleted.");
    if (!j->thread.found) return 1;
    *reason =
        str_fmt(w->arena, "The mail answers a forward of conversation %" PRId64 ", which takes no notes.",
                j->thread.now.id);
    if (!j->thread.open) return 1;
    *reason = str_fmt(w->arena, "Conversation %" PRId64 " was not forwarded to " QUOTED ".", j->thread.now.id,
                      QUOTE(j->sender.address));
    return !j->asked && !j->as_staff;
}

static int is_no_participant(struct work *w, const struct judged *j, struct str *reason) {
    if (j->thread.forward_id) return is_not_asked(w, j, reason);
    *reason = str_fmt(w->arena, QUOTED " does not take part in conversation %" PRId64 ".",
                      QUOTE(j->sender.address), j->thread.now.id);
    if (!j->thread.found || j->as_staff) return 0;
    int rc = sender_takes_part(w, &j->sender, &j->thread.now);
    return rc < 0 ? rc : !rc;
}

static const struct suspension_rule {
    enum suspension code;
    int (*hits)(struct work *w, const struct judged *j, struct str *reason);
} rules[] = {
    {SUSPENDED_INVALID_EMAIL_HEADERS, has_invalid_headers},
    {SUSPENDED_DELIVERY_FAILED, is_delivery_failure},
    {SUSPENDED_NO_FROM_ADDRESS, has_no_from},
    {SUSPENDED_INVALID_FROM_ADDRESS, has_invalid_from},
    {SUSPENDED_SOURCE_IS_MAILBOX, is_from_mailbox},
    {SUSPENDED_LOOP_DETECTED, is_loop},
    {SUSPENDED_BLOCKLISTED_EMAIL, is_blocked},
    {SUSPENDED_MAILER_DAEMON, is_mailer_daemon},
    {SUSPENDED_DELIVERY_FAILED, is_automated_notice},
    {SUSPENDED_OUT_OF_OFFICE_EMAIL, is_out_of_office},
    {SUSPENDED_AUTOMATED_EMAIL, is_automated},
    {SUSPENDED_SOURCE_IS_NOREPLY, is_from_noreply},
    {SUSPENDED_SPAM, is_spam},
    {SUSPENDED_INVALID_CASE_TOKEN, has_invalid_token},
    {SUSPENDED_UNREGISTERED_USER, is_unregistered},
    {SUSPENDED_UNVERIFIED_EMAIL, is_unverified},
    {SUSPENDED_NOT_PARTICIPANT, is_no_participant},
};

int suspension_find(struct work *w, const struct judged *j, struct str *reason) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        int rc = rules[i].hits(w, j, reason);
        if (rc) return rc < 0 ? rc : (int)rules[i].code;
    }
    *reason = (struct str){0};
    return 0;
}

/* A letter is found by two things that only servers and recipients of the letter have seen: the keyed
 * return path that it was sent with, and its random Message-ID. So a stranger can't make another person's
 * letter bounce, and a recipient can report only their own letter.
 *
 * The return path comes first, because a mail server sends its notice there, whatever the form of the
 * notice. Everything that comes to it is a notice, unless it says that a person is away. A mail to another
 * address is one if it is a report (RFC 3464), or looks like a notice, and names a letter.
 *
 * A letter has one recipient. So every recipient block of a report is about that one, even if its address
 * is written differently or was forwarded. If some blocks name the letter's own address, only those count.
 * The row keeps the letter's address, never one from the report. */
#include "mail/bounce.h"

#include "base/log.h"
#include "core/letters/token.h"
#include "core/cases/letter_result.h"
#include "core/letters/letter.h"
#include "mail/mime.h"

#include <inttypes.h>

/* ---- reading --------------------------------------------------------------------------------- */

static void name_found(struct arena *a, struct bounce *b, struct str name) {
    for (int i = 0; i < b->name_count; i++)
        if (str_eq(b->names[i], name)) return;
    if (b->name_count < BOUNCE_NAMES) b->names[b->name_count++] = str_dup(a, name);
}

static bool in_message_id(char c) { return c > ' ' && c < 0x7F && !in_set(c, "<>()[]:;,\"\\"); }

/* Gathers the Message-IDs in a text whose right part is the name of this desk. Only the characters before
 * it can belong to one. */
static void find_names(struct arena *a, struct bounce *b, struct str text, struct str host) {
    struct str mark = STR_CAT(a, S("@"), host);
    const char *p = text.p, *end = text.p + text.n;
    while (text.p && p < end && (p = memmem(p, (size_t)(end - p), mark.p, mark.n)) != NULL &&
           b->name_count < BOUNCE_NAMES) {
        const char *begin = p;
        while (begin > text.p && p - begin < 120 && in_message_id(begin[-1])) begin--;
        if (p > begin) name_found(a, b, (struct str){begin, (size_t)(p - begin) + mark.n});
        p += mark.n;
    }
}

/* Returns true if the recipient of the envelope is the return path of a letter of this desk. */
static bool bounce_is_keyed(const struct desk *d, struct arena *a, const struct incoming *m,
                            int64_t *letter_id) {
    struct str token;
    if (m->recipient.p == NULL) return false;
    address_without_plus(a, m->recipient, &token);
    return token.p && mail_token_read(d, TOKEN_RETURN, token, letter_id) == TOKEN_GOOD;
}

void bounce_read(const struct desk *d, struct arena *a, const struct incoming *m, struct str raw,
                 struct bounce *out) {
    struct str host = letter_host(d, a);
    int64_t id;
    *out = (struct bounce){0};
    out->is_notice = bounce_is_keyed(d, a, m, &id) ? bounce_at_return_path(a, m, &out->guess)
                                                   : bounce_looks_like(a, m, &out->guess);
    if (m->report.message_id.n) name_found(a, out, m->report.message_id);
    if (m->report.is_read || !out->is_notice) return;
    find_names(a, out, raw, host);
    find_names(a, out, m->text, host);
    find_names(a, out, m->quoted, host);
    for (int i = m->reference_count; i > 0; i--) find_names(a, out, m->references[i - 1], host);
}

/* ---- a report -------------------------------------------------------------------------------- */

static bool is_about(const struct report_recipient *r, struct str address) {
    return address.p && (str_eqi(r->original, address) || str_eqi(r->final, address));
}

/* Returns the block that reports a failure, or NULL. */
static const struct report_recipient *failed_one(const struct report *report, struct str address) {
    const struct report_recipient *own = NULL, *other = NULL;
    bool named = false;
    for (int i = 0; i < report->recipient_count; i++) {
        const struct report_recipient *r = &report->recipients[i];
        bool about = is_about(r, address);
        named |= about;
        if (r->failed && about && own == NULL) own = r;
        if (r->failed && !about && other == NULL) other = r;
    }
    return named ? own : other;
}

/* Returns "5.1.1 smtp; 550 unknown user", and the block's address if it is not the letter's. */
static struct str reason_of(struct arena *a, const struct report_recipient *r, struct str address) {
    struct str named = r->original.n ? r->original : r->final,
               blank = r->status.n && r->diagnostic.n ? S(" ") : S("");
    struct str said = STR_CAT(a, r->status, blank, r->diagnostic);
    if (said.n == 0) said = S("the report gives no reason");
    return named.n && !is_about(r, address) ? STR_CAT(a, said, S(" (of "), named, S(")")) : said;
}

/* ---- the letter ------------------------------------------------------------------------------ */

static void log_bounce(struct desk *desk, void *arg) {
    const struct letter *l = arg;
    (void)desk;
    log_warn("mail %" PRId64 " (%s) bounced: see its last_error", l->id, l->template.p);
}

static int bounce_letter(struct work *w, const struct incoming *m, const struct bounce *b, struct letter *l) {
    int64_t id = 0;
    int found = bounce_is_keyed(w->desk, w->arena, m, &id) ? letter_by_id_sent(w, id, l) : 0;
    for (int i = 0; found == 0 && i < b->name_count; i++) found = letter_by_message(w, b->names[i], l);
    return found;
}

static int bounce_store(struct work *w, struct letter *l, enum reject_type type, struct str reason) {
    int changed = letter_bounced(w, l->id, type, reason);
    TRY(changed);
    if (changed) after_commit(w, log_bounce, l);
    return 1;
}

int bounce_note(struct work *w, const struct incoming *m, const struct bounce *b) {
    struct letter *l = ARENA_NEW(w->arena, struct letter);
    if (!m->report.is_read && !b->is_notice) return 0;
    int found = bounce_letter(w, m, b, l);
    TRY(found);
    if (!found) log_debug("a notice of failed delivery does not refer to a mail of this desk");
    if (!found) return 0;
    struct str address = mime_address(w->arena, l->recipient); /* in the form in which it was sent */
    const struct report_recipient *failed = failed_one(&m->report, address);
    if (failed) {
        struct str said = failed->diagnostic.n ? failed->diagnostic : b->guess.reason;
        return bounce_store(w, l, reject_type_of(failed->status, said.p ? said : S("")),
                            reason_of(w->arena, failed, address));
    }
    if (!m->report.is_read && !b->guess.delayed) return bounce_store(w, l, b->guess.type, b->guess.reason);
    log_debug("mail %" PRId64 " (%s): the delivery report contains no failure", l->id, l->template.p);
    return 1;
}

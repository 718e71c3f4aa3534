/* The letter is found by the Message-ID in the returned mail. The Message-ID is random, and only servers and recipients
 * of the letter have seen it. So a stranger can't make another person's letter bounce, and a recipient can report only
 * their own letter.
 *
 * A letter has one recipient. So every recipient block of the report is about that one, even if its address is written
 * differently or was forwarded. If some blocks name the letter's own address, only those count. The row keeps the
 * letter's address, never one from the report. */
#include "mail/bounce.h"

#include "base/log.h"
#include "core/text/letter.h"
#include "mail/mime.h"

#include <inttypes.h>

static bool is_about(const struct report_recipient *r, struct str address) {
    return address.p && (str_eqi(r->original, address) || str_eqi(r->final, address));
}

/* Returns the block that reports a failure, or NULL. */
static const struct report_recipient *failed_one(const struct report *report, struct str address) {
    const struct report_recipient *own = NULL, *other = NULL;
    bool named = false;
    for (const struct report_recipient *r = report->recipients; r; r = r->next) {
        bool about = is_about(r, address);
        named |= about;
        if (r->failed && about && own == NULL) own = r;
        if (r->failed && !about && other == NULL) other = r;
    }
    return named ? own : other;
}

/* Returns "5.1.1 smtp; 550 unknown user", and the block's address if it is not the letter's. */
static struct str reason_of(struct arena *a, const struct report_recipient *r, struct str address) {
    struct str named = r->original.n ? r->original : r->final, blank = r->status.n && r->diagnostic.n ? S(" ") : S("");
    struct str said = STR_CAT(a, r->status, blank, r->diagnostic);
    if (said.n == 0) said = S("the report gives no reason");
    return named.n && !is_about(r, address) ? STR_CAT(a, said, S(" (of "), named, S(")")) : said;
}

static void log_bounce(struct desk *desk, void *arg) {
    const struct letter *l = arg;
    (void)desk;
    log_warn("mail %" PRId64 " (%s) bounced: see its last_error", l->id, l->template.p);
}

int bounce_note(struct work *w, const struct report *report) {
    struct letter *l = ARENA_NEW(w->arena, struct letter);
    int found = report->message_id.n ? letter_by_message(w, report->message_id, l) : 0;
    TRY(found);
    if (!found) log_debug("a delivery report does not refer to a mail of this desk");
    if (!found) return 0;
    struct str address = mime_address(w->arena, l->recipient); /* in the form in which it was sent */
    const struct report_recipient *failed = failed_one(report, address);
    if (failed == NULL) log_debug("mail %" PRId64 " (%s): the delivery report contains no failure", l->id, l->template.p);
    if (failed == NULL) return 0;
    int changed = letter_set(w, l->id, MAIL_BOUNCED, reason_of(w->arena, failed, address));
    TRY(changed);
    if (changed) after_commit(w, log_bounce, l);
    return 0;
}

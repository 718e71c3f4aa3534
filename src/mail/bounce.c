/* Whose letter: the one whose Message-ID is in what the report returns. It is random and was told to nobody but those who
 * carried or got the letter, so a stranger can't make a letter of somebody else bounce; who got one can only speak of that.
 *
 * Which recipient: a letter has one, so all that a report says of it follows from that one, also where the address is written
 * another way or was forwarded. Where one of the addresses is the letter's own, those that are decide. What is noted is the
 * letter's address, never one that the report brings. */
#include "mail/bounce.h"

#include "base/log.h"
#include "core/text/letter.h"
#include "mail/mime.h"

#include <inttypes.h>

static bool is_about(const struct report_recipient *r, struct str address) {
    return address.p && (str_eqi(r->original, address) || str_eqi(r->final, address));
}

/* NULL: nothing failed. */
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

/* "5.1.1 smtp; 550 unknown user", and of whom where that is not the letter's address. */
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
    if (!found) log_debug("a delivery report is about no letter of this desk");
    if (!found) return 0;
    struct str address = mime_address(w->arena, l->recipient); /* as it was sent to */
    const struct report_recipient *failed = failed_one(report, address);
    if (failed == NULL) log_debug("mail %" PRId64 " (%s): a report that tells of no failure", l->id, l->template.p);
    if (failed == NULL) return 0;
    int changed = letter_set(w, l->id, MAIL_BOUNCED, reason_of(w->arena, failed, address));
    TRY(changed);
    if (changed) after_commit(w, log_bounce, l);
    return 0;
}

/* The token of a link is the id of the conversation and a MAC over it, its requester and the time of the
 * survey. So a survey needs no row, a newer one replaces it, and the link works until it expires: people
 * may change their mind. If the conversation gets another requester, the link of the former one is dead,
 * because it would rate in the name of the new one. */
#include "core/cases/survey.h"

#include "core/cases/message_mail.h"
#include "core/people/notification.h"
#include "core/letters/letter.h"

#include <inttypes.h>

#define SURVEY_LIFE (30 * TIME_DAY)
#define SURVEY_PAUSE TIME_DAY

QUERY(survey_state, "SELECT COALESCE(surveyed_at, 0) FROM cases WHERE id = :id");
QUERY(survey_set, "UPDATE cases SET surveyed_at = :now, updated_at = :now WHERE id = :id");
QUERY(survey_of_case,
      "SELECT c.requester_id, c.subject, COALESCE(c.rating, 0), c.surveyed_at "
      "FROM cases c JOIN users u ON u.id = c.requester_id "
      "WHERE c.id = :id AND c.state = 1 AND c.surveyed_at IS NOT NULL AND u.deleted_at IS NULL");
QUERY(rating_of_survey, "SELECT MAX(id) FROM case_ratings WHERE case_id = :id AND creator_id = :requester");

static struct str survey_token(struct work *w, int64_t case_id, int64_t requester_id, int64_t at) {
    struct str signed_text =
        str_fmt(w->arena, "survey %" PRId64 " %" PRId64 " %" PRId64, case_id, requester_id, at);
    return str_fmt(w->arena, "%" PRId64 "-%s", case_id, mac_hex(w->arena, &w->desk->link_key, signed_text).p);
}

/* *before: the time of the last survey; 0: none. */
static int survey_may_send(struct work *w, const struct case_now *c, struct str *address, int64_t *before) {
    *before = 0;
    TRY(case_not_hidden(w, c));
    if (c->rating) return fail_state(w, "The conversation has a rating. A survey would ask for it again.");
    TRY(db_int(w->conn, &survey_state, BINDS(B_INT("id", c->id)), before));
    if (*before && *before > w->now - SURVEY_PAUSE)
        return fail_state(w, "A survey was sent less than a day ago. Wait for the rating.");
    int wanted = notification_wanted(w, c->requester_id, NOTIFY_SURVEY, NOTIFY_EMAIL);
    TRY(wanted);
    if (!wanted) return fail_state(w, "The requester has unsubscribed from surveys.");
    int found = message_mail_address(w, c->requester_id, address);
    if (found == 0) return fail_state(w, "The requester has no e-mail address. Add one first.");
    return found < 0 ? found : 0;
}

int survey_send(struct work *w, int64_t case_id) {
    struct case_now c;
    struct str address = {0};
    TRY_FOUND(w, case_load(w, case_id, &c));
    int64_t before;
    TRY(survey_may_send(w, &c, &address, &before));
    TRY(db_exec(w->conn, &survey_set, BINDS(B_INT("id", case_id), B_INT("now", w->now))));
    change_property(w, case_changed(&c), "rating_status",
                    changed_word(rating_statuses, before ? RATING_OFFERED : RATING_UNOFFERED),
                    changed_word(rating_statuses, RATING_OFFERED));
    return letter_survey(w, (struct letter_to){case_id, c.requester_id, address}, c.subject,
                         survey_token(w, case_id, c.requester_id, w->now), SURVEY_LIFE / TIME_HOUR);
}

int survey_find(struct work *w, struct str token, struct survey *out) {
    struct str rest = token, number = str_cut(&rest, '-');
    struct stmt *row;
    if (rest.p == NULL || !str_to_int(number, &out->case_id)) return 0;
    int rc = db_row(w->conn, &survey_of_case, BINDS(B_INT("id", out->case_id)), &row);
    if (rc <= 0) return rc;
    out->requester_id = col_int(row, 0);
    out->subject = str_dup(w->arena, col_text(row, 1));
    out->rating = (int)col_int(row, 2);
    int64_t at = col_int(row, 3);
    stmt_end(row);
    return at > w->now - SURVEY_LIFE &&
           secret_eq(token, survey_token(w, out->case_id, out->requester_id, at));
}

int survey_rate(struct work *w, struct str token, const struct rating *r) {
    struct survey s;
    struct case_now c;
    int64_t id;
    int rc = survey_find(w, token, &s);
    if (rc <= 0) return rc;
    rc = case_load(w, s.case_id, &c);
    if (rc <= 0) return rc;
    w->actor.user_id = c.requester_id;
    w->actor.rank = ROLE_CUSTOMER;
    rc =
        db_int(w->conn, &rating_of_survey, BINDS(B_INT("id", c.id), B_INT("requester", c.requester_id)), &id);
    TRY(rc);
    TRY(rc ? rating_change(w, &c, id, r, r->comment.p != NULL) : rating_add(w, &c, r, c.requester_id, &id));
    return 1;
}

#include "res/case_parts.h"

#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/rows/view.h"
#include "core/cases/snooze.h"

const struct field snooze_input[] = {
    {"until", F_TIME, NULLABLE, .check = check_within_year,
     .doc = "Time when the conversation wakes, at most a year ahead.", .example = "\"2027-03-01T08:00:00Z\""},
    {"until_reply", F_BOOL, .initial = "0",
     .doc = "True in place of `until`: it wakes only when the customer replies."},
    {0},
};

static int64_t snooze_number(struct str *rest) {
    int64_t n = 0;
    str_to_int(str_cut(rest, ' '), &n);
    return n;
}

void render_snooze(struct view *v, const struct row *row, const struct value *own) {
    struct json_writer *w = &v->w;
    struct str rest = own->s;
    (void)row;
    if (own->type != V_TEXT) {
        jw_null(w);
        return;
    }
    jw_object(w);
    jw_key(w, S("snoozed_at"));
    jw_time(w, snooze_number(&rest));
    jw_key(w, S("until"));
    int64_t until = snooze_number(&rest), by = snooze_number(&rest);
    if (until) jw_time(w, until);
    else jw_null(w);
    jw_key(w, S("snoozed_by"));
    if (by) view_reference(v, layout_of(resource_of("user")), by);
    else jw_null(w);
    jw_end(w);
}

/* *until: 0: until a reply. */
static int snooze_read(struct call *c, int64_t *until) {
    TRY(api_input(c));
    bool timed = in(c, "until")->value.type == V_INT;
    *until = in_int(c, "until");
    if (timed && in_int(c, "until_reply"))
        return in_fail(c, "until_reply", ERR_FIELD_INVALID,
                       "Send `until` or `until_reply`. A reply of the customer ends each snooze.");
    if (!timed && !in_int(c, "until_reply")) return in_fail(c, "until", ERR_FIELD_REQUIRED, NULL);
    return 0;
}

static int snooze_change(struct call *c, const struct case_change *change) {
    struct case_now *now;
    TRY(load_targets(c, &now));
    TRY(refuse_targets(c, now, case_why_merged));
    TRY(refuse_targets(c, now, case_why_hidden));
    if (change->is_snoozed) TRY(refuse_targets(c, now, case_why_not_snoozed));
    for (int i = 0; i < c->id_count; i++) {
        bool same = now[i].is_snoozed == change->is_snoozed && now[i].snoozed_until == change->snoozed_until;
        if (!same) TRY(case_change(&c->work, &now[i], change));
    }
    return api_reply(c);
}

int put_case_snooze(struct call *c) {
    struct case_change change = {.set = CASE_SNOOZE, .is_snoozed = true};
    if (c->var_count) c->options.also = "+snooze";
    TRY(api_target(c));
    TRY(snooze_read(c, &change.snoozed_until));
    return snooze_change(c, &change);
}

int delete_case_snooze(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    return snooze_change(c, &(struct case_change){.set = CASE_SNOOZE});
}

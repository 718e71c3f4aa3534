/* The jobs that compute derived rows again. */
#include "base/log.h"
#include "core/cases/case.h"
#include "core/desk/job.h"
#include "core/people/identity.h"
#include "core/people/name_index.h"
#include "core/people/user.h"
#include "core/search/index.h"
#include "json/json.h"

#include <inttypes.h>

/* ---- keys and names -------------------------------------------------------------------------- */

/* Recomputes the values that are derived from names and addresses, after an upgrade or a change of a
 * setting that alters how they are derived. The work is done in parts, so that no write delays others for
 * long. Each part is a job that adds the next one. Its input is where it begins: {"step", "after"}. */

static int index_emails(struct work *w, int64_t *after, int *lost) {
    return identity_rekey(w, IDENTITY_EMAIL, after, lost);
}
static int index_phones(struct work *w, int64_t *after, int *lost) {
    return identity_rekey(w, IDENTITY_PHONE, after, lost);
}
static int index_people(struct work *w, int64_t *after, int *lost) {
    return (void)lost, users_rekey(w, after);
}
static int index_names_of_people(struct work *w, int64_t *after, int *lost) {
    return (void)lost, names_reindex(w, NAME_USER, after);
}
static int names_of_organizations(struct work *w, int64_t *after, int *lost) {
    return (void)lost, names_reindex(w, NAME_ORGANIZATION, after);
}
static int names_of_tags(struct work *w, int64_t *after, int *lost) {
    return (void)lost, names_reindex(w, NAME_TAG, after);
}

static int index_subjects(struct work *w, int64_t *after, int *lost) {
    return (void)lost, cases_rekey(w, after);
}

/* Each step processes the next part of its rows behind *after, and moves *after on. Returns 1 if there are
 * more, 0, or an error. */
static int (*const steps[])(struct work *w, int64_t *after, int *lost) = {
    index_emails,           index_phones,  index_people,  index_names_of_people,
    names_of_organizations, names_of_tags, index_subjects};
#define STEPS ((int64_t)(sizeof steps / sizeof *steps))

static int64_t input_number(const struct json *input, struct str name, int64_t initial) {
    const struct json *j = json_member(input, name);
    int64_t v;
    return j && str_to_int(j->text, &v) ? v : initial;
}

static int index_names(struct work *w, const struct job *j) {
    struct json *input;
    struct json_error err;
    int lost = 0, more = 0;
    int64_t next;
    if (json_parse(w->arena, j->input, &input, &err) < 0) return -ERR_INTERNAL_ERROR;
    int64_t step = input_number(input, S("step"), 0), after = input_number(input, S("after"), 0);
    while (step < STEPS && !more) {
        more = steps[step](w, &after, &lost);
        TRY(more);
        if (!more) step++, after = 0;
    }
    if (lost)
        log_warn("index_names: %d addresses belong to several people and are claims until they are "
                 "verified",
                 lost);
    if (more)
        TRY(job_add(w, JOB_INDEX_NAMES,
                    str_fmt(w->arena, "{\"step\": %" PRId64 ", \"after\": %" PRId64 "}", step, after),
                    &next));
    return job_finish(w, j->id, JOB_COMPLETED, 0, 0, 0, S("[]"));
}
JOB_CODE(INDEX_NAMES) = {.run = index_names};

/* ---- the search index ------------------------------------------------------------------------ */

/* Builds the search index: for a desk of an earlier version, after a change of the desk's language, and
 * for all heads of one kind after a custom field was disabled or deleted. Each part is one write. The
 * input is where the next part begins: {"table", "after", "last"}. */

#define PART 100 /* texts of one write: about 15 ms */

static int index_search(struct work *w, const struct job *j) {
    struct json *input;
    struct json_error err;
    if (json_parse(w->arena, j->input, &input, &err) < 0) return -ERR_INTERNAL_ERROR;
    struct search_progress p = {.table = input_number(input, S("table"), 0),
                                .after = input_number(input, S("after"), 0),
                                .last = input_number(input, S("last"), SEARCH_TABLES - 1)};
    int more = search_index_part(w->conn, w->arena, &p, PART);
    TRY(more);
    if (!more) return job_finish(w, j->id, JOB_COMPLETED, 0, 0, 0, S("[]"));
    return job_continue(w, j,
                        str_fmt(w->arena,
                                "{\"table\": %" PRId64 ", \"after\": %" PRId64 ", \"last\": %" PRId64 "}",
                                p.table, p.after, p.last));
}
JOB_CODE(INDEX_SEARCH) = {.run = index_search, .never_failed = true};

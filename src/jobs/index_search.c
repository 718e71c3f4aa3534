/* Builds the search index: for a desk of an earlier version, after a change of the desk's language, and
 * for all heads of one kind after a custom field was disabled or deleted. Each part is one write. The
 * input is where the next part begins: {"table", "after", "last"}. */
#include "core/desk/job.h"

#include "core/desk/locale.h"
#include "core/desk/setting.h"
#include "core/search/index.h"
#include "json/json.h"

#include <inttypes.h>

#define PART 100 /* texts of one write: about 15 ms */

static int64_t progress_of(const struct json *input, struct str name, int64_t initial) {
    const struct json *j = json_member(input, name);
    int64_t v;
    return j && str_to_int(j->text, &v) ? v : initial;
}

int index_search(struct work *w, const struct job *j) {
    struct json *input;
    struct json_error err;
    if (json_parse(w->arena, j->input, &input, &err) < 0) return -ERR_INTERNAL_ERROR;
    struct search_progress p = {.table = progress_of(input, S("table"), 0),
                                .after = progress_of(input, S("after"), 0),
                                .last = progress_of(input, S("last"), SEARCH_TABLES - 1)};
    int more =
        search_index_part(w->conn, w->arena, setting_text(w->desk, LOCALE_SETTING, w->arena), &p, PART);
    TRY(more);
    if (!more) return job_finish(w, j->id, JOB_COMPLETED, 0, 0, 0, S("[]"));
    return job_continue(w, j,
                        str_fmt(w->arena,
                                "{\"table\": %" PRId64 ", \"after\": %" PRId64 ", \"last\": %" PRId64 "}",
                                p.table, p.after, p.last));
}

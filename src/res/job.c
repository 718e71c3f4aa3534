#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/words.h"
#include "res/groups.h"

/* The input of an import begins so (api/rows/import.c); a token needs the scope of the records to see
 * them. */
#define INPUT_HEAD "{\"resource\":\""

static void render_job_errors(struct view *v, const struct row *row, const struct value *own) {
    struct str head = row_cell(row, "input_head")->s, type = {0};
    if (str_starts(head, S(INPUT_HEAD)))
        type = (struct str){head.p + sizeof INPUT_HEAD - 1, head.n - (sizeof INPUT_HEAD - 1)};
    type = str_cut(&type, '"');
    if (own->type == V_TEXT && (type.p == NULL || call_may_read_type(v->c, type))) jw_raw(&v->w, own->s);
    else jw_null(&v->w);
}

static const struct field job_fields[] = {
    {"input_head", F_TEXT, HIDDEN, .column = "SUBSTR(t.input, 1, 80)", .doc = "Beginning of the input."},
    {"status", F_WORD, READONLY, .words = job_statuses,
     .doc = "State of the job: PENDING, RUNNING, then COMPLETED or FAILED.", .example = "\"COMPLETED\""},
    {"total", F_INT, READONLY,
     .doc = "Number of records in the request, null until an import has ended; or number of conversations "
            "in the trash.",
     .example = "2"},
    {"inserted", F_INT, READONLY, .doc = "Number of created records.", .example = "2"},
    {"rejected", F_INT, READONLY, .doc = "Number of invalid records.", .example = "0"},
    {"errors", F_JSON, READONLY, .render = render_job_errors,
     .doc = "Invalid records, each with its errors. Null until the job has ended, and if the bearer token "
            "lacks the scope of the records.",
     .example = "[]"},
    {"kind", F_TEXT, READONLY | ON_DEMAND,
     .doc = "Kind of work, like import, trash or cascade. Other kinds are added without notice.",
     .example = "\"import\""},
    {"creator", F_REF, READONLY | ON_DEMAND, .ref = "user_minimal",
     .doc = "Person whose request made the job. Null: the server made it, or the person is gone."},
    {"*", .group = row_times},
    {0},
};

static const struct field job_args[] = {
    {"status", F_WORDS, .words = job_statuses, .filter = "t.status IN @LIST(:status)",
     .doc = "Only jobs with one of these states."},
    {"kind", F_TEXT, .filter = "t.kind = :kind", .doc = "Only jobs of this kind.", .example = "\"import\""},
    {0},
};

/* A job is visible to the user who created it, admins and owners. A bearer token shows the jobs of its
 * person only. */
static void job_visible(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_ADMIN && w->actor.kind != ACTOR_TOKEN) {
        out->all = true;
        return;
    }
    branch_add(out, "t.creator_id = :me");
    branch_bind_int(out, ":me", w->actor.user_id);
}

static const struct route job_routes[] = {
    {GET, "/jobs", AD, "", LIST, api_list, .bearer = BEARER_ANY, .order = {.descending = true},
     .args = job_args, .label = "job", .summary = "List jobs",
     .doc = "The newest first, also those that the server made itself. With a bearer token only those of its "
            "person."},
    {GET, "/jobs/:id", ALL, "", ONE, api_get, .bearer = BEARER_ANY, .label = "job", .summary = "Get a job",
     .doc = "Only for the user who created it, admins and owners. With a bearer token only for the user who "
            "created it."},
    {0},
};

const struct resource job_resource = {.type = "bulk_job",
                                      .scope = "",
                                      .title = "Jobs",
                                      .doc = "Work that continues after the reply.",
                                      .url = "jobs/:id",
                                      .table = "jobs",
                                      .fields = job_fields,
                                      .routes = job_routes,
                                      .visible = job_visible};

/* Bulk imports: POST /bulk/<resource> adds a job. The job creates the records by the resource's table. */
#include "api/table/fields.h"

#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/call/machine.h"
#include "api/rows/problem.h"
#include "api/rows/reply.h"
#include "base/limits.h"
#include "core/access/access.h"
#include "core/desk/job.h"

#include <assert.h>

int api_import(struct call *c) {
    const char *name = c->route->record_list;
    struct buf b = {0};
    struct json_writer w;
    TRY(api_input(c));
    const struct json *list = in(c, name)->json;
    if (list->count == 0) return in_fail(c, name, ERR_FIELD_EMPTY, NULL);
    if (list->count > LIMIT_RECORDS)
        return in_fail(c, name, ERR_FIELD_INVALID, "At most %d records are allowed.", LIMIT_RECORDS);
    jw_init(&w, &b);
    jw_object(&w);
    jw_key(&w, S("resource"));
    jw_str(&w, str_of(c->route->records->type));
    jw_key(&w, S("list"));
    jw_str(&w, str_of(name));
    jw_key(&w, S("partial"));
    jw_bool(&w, arg(c, "partial_import")->value.i != 0);
    jw_key(&w, S("records"));
    jw_json(&w, list);
    jw_end(&w);
    int rc = job_add(&c->work, JOB_IMPORT, buf_view(&b), &c->id);
    buf_free(&b);
    TRY(rc);
    return api_reply(c);
}

/* ---- the job --------------------------------------------------------------------------------- */

struct import {
    struct call call;
    struct buf errors;
    struct json_writer w;
    int inserted, rejected;
};

static int become_creator(struct work *w, int64_t user_id) {
    int rc = actor_of_person(w, user_id, &w->actor);
    w->actor.cause = S("Import");
    return rc < 0 ? rc : rc == ACTOR_ABLE ? 0 : -ERR_PERMISSIONS_DENIED;
}

static void reject(struct import *im, const struct json *record) {
    for (const struct problem *p = im->call.work.problems; p; p = p->next) {
        const struct error_info *info = error_info((int)p->code);
        jw_object(&im->w);
        jw_key(&im->w, S("code"));
        jw_str(&im->w, str_of(info->code));
        write_place(&im->w, im->call.work.arena, p);
        jw_key(&im->w, S("message"));
        jw_str(&im->w, p->message.p ? p->message : str_of(info->message));
        jw_key(&im->w, S("record"));
        jw_json(&im->w, record);
        jw_end(&im->w);
    }
    im->rejected++;
    work_set_aside(&im->call.work); /* the changes of the records before stay */
}

static int one_record(struct import *im, const struct json *record, struct str pointer) {
    struct call *c = &im->call;
    const struct resource *r = c->home;
    c->id = 0;
    if (record->type != JSON_OBJECT)
        fail_at(&c->work, ERR_FIELD_INVALID, (struct str){0}, pointer, "An object is expected.");
    else
        input_read(c, fields_of(resource_record_fields(r)), true, record, pointer, &c->input,
                   &c->input_count);
    int rc = failed(&c->work) ? 0 : r->insert ? r->insert(c) : api_insert(c);
    if (failed(&c->work)) {
        enum error code = failure(&c->work);
        if (error_info((int)code)->status >= 500) return -(int)code;
        reject(im, record);
        return 0;
    }
    TRY(rc);
    im->inserted++;
    return 0;
}

static int all_records(struct import *im, const struct json *input) {
    struct arena *a = im->call.work.arena;
    const struct json *list = json_member(input, S("records"));
    int at = 0;
    for (const struct json *j = list->first; j; j = j->next, at++)
        TRY(one_record(im, j, str_fmt(a, "%s/%d", json_member(input, S("list"))->text.p, at)));
    return at;
}

static int import_run(struct work *w, const struct job *j) {
    static const struct route route = {.method = POST};
    struct import *im = ARENA_NEW(w->arena, struct import);
    struct json *input;
    struct json_error err;
    if (json_parse(w->arena, j->input, &input, &err) < 0) return -ERR_INTERNAL_ERROR;
    bool partial = json_member(input, S("partial"))->type == JSON_TRUE;
    im->call.work = *w;
    im->call.route = &route;
    im->call.method = POST;
    im->call.http = http_alone(w->arena, S("POST"), S("/"), S(""), S("")); /* without headers */
    im->call.home = im->call.resource = resource_of(json_member(input, S("resource"))->text.p);
    assert(im->call.home);
    int maker = become_creator(&im->call.work, j->creator_id);
    /* the creator can't act any more */
    if (maker == -ERR_PERMISSIONS_DENIED) return job_finish(w, j->id, JOB_FAILED, 0, 0, 0, S("[]"));
    TRY(maker);
    jw_init(&im->w, &im->errors);
    jw_array(&im->w);
    TRY(db_savepoint(w->conn, "import"));
    int total = all_records(im, input);
    jw_end(&im->w);
    bool kept = total >= 0 && (partial || im->rejected == 0);
    int rc = kept ? db_release(w->conn, "import") : db_undo(w->conn, "import");
    if (rc >= 0) rc = total;
    if (rc >= 0 && kept) *w = im->call.work; /* with the changes, for work_finish: they are the creator's */
    if (rc >= 0)
        rc = job_finish(w, j->id, kept ? JOB_COMPLETED : JOB_FAILED, total, kept ? im->inserted : 0,
                        im->rejected, buf_view(&im->errors));
    buf_free(&im->errors);
    return rc;
}
JOB_CODE(IMPORT) = {.run = import_run};

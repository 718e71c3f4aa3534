#include "jobs/scheduled.h"

#include "api/call/inner_write.h"
#include "base/log.h"
#include "core/access/scope.h"
#include "core/all/finish.h"
#include "core/cases/scheduled_reply.h"
#include "core/login/session.h"
#include "files/html_clean.h"

#include <inttypes.h>

#define PART 100
#define CAUSE S("Scheduled reply")

/* One reply. `call` makes the request; its work has the problems. */
struct posting {
    struct call *call;
    struct scheduled_due due;
    struct scheduled_reply reply;
};

static bool waits(const struct work *w, const struct scheduled_reply *s) {
    return !s->is_refused && s->send_at <= w->now;
}

static struct html_cleaned *cleaned(struct arena *a, const struct scheduled_reply *s,
                                    const struct json *body) {
    const struct json *contents = json_named(body, S("contents"));
    struct html_cleaned *clean = ARENA_NEW(a, struct html_cleaned);
    if (!s->is_html || contents == NULL) return NULL;
    *clean = (struct html_cleaned){.html = contents->text, .text = s->content_text};
    return clean;
}

static int act_as(struct work *w, int64_t user_id) {
    w->actor = (struct actor){.remote = S(""), .user_agent = S("")};
    int rc = actor_load(w, user_id);
    if (rc != -ERR_AUTHENTICATION_FAILED) return rc;
    work_set_aside(w);
    return fail_field(w, ERR_PERMISSIONS_DENIED, (struct str){0}, "Its author can't log in any more.");
}

static int post(struct work *w, void *arg) {
    struct posting *p = arg;
    struct json *body;
    struct json_error err;
    inner_begin(p->call);
    TRY(db_lock_row(w->conn, "cases", p->due.case_id)); /* the order of every write to a conversation */
    int rc = scheduled_reply_lock(w, p->due.id, &p->reply);
    if (rc <= 0 || !waits(w, &p->reply)) return rc < 0 ? rc : 0;
    TRY(act_as(w, p->reply.creator_id));
    w->actor.cause = CAUSE;
    TRY(json_parse(w->arena, p->reply.parameters, &body, &err));
    TRY(scheduled_reply_drop(w, &p->reply));
    return inner_write(p->call, body, cleaned(w->arena, &p->reply, body));
}

/* ---- refusals -------------------------------------------------------------------------------- */

struct refusing {
    struct scheduled_due due;
    enum error code;
    struct str message, parameter; /* parameter: p NULL: none */
};

static struct refusing refusal_why(const struct posting *p, int rc) {
    const struct problem *first = p->call->work.problems;
    enum error code = first ? first->code : (enum error) - rc;
    return (struct refusing){.due = p->due,
                             .code = code,
                             .message = first && first->message.p ? first->message
                                                                  : str_of(error_info(code)->message),
                             .parameter = first ? first->parameter : (struct str){0}};
}

static int keep_refusal(struct work *w, void *arg) {
    const struct refusing *r = arg;
    const struct str code = str_of(error_info(r->code)->code);
    struct scheduled_reply s;
    struct json_writer out;
    struct buf b = {0};
    TRY(db_lock_row(w->conn, "cases", r->due.case_id));
    int rc = scheduled_reply_lock(w, r->due.id, &s);
    if (rc <= 0 || !waits(w, &s)) return rc < 0 ? rc : 0;
    jw_init(&out, &b);
    jw_object(&out);
    jw_key(&out, S("code"));
    jw_str(&out, code);
    jw_key(&out, S("message"));
    jw_str(&out, r->message);
    jw_key(&out, S("parameter"));
    jw_str(&out, r->parameter);
    jw_end(&out);
    return scheduled_reply_refuse(w, &s, buf_take(&b, w->arena),
                                  STR_CAT(w->arena, code, S(": "), r->message));
}

/* Returns false if the store is unavailable. */
static bool scheduled_post(struct api *api, struct scheduled_due due) {
    struct arena *a = arena_new();
    struct posting p = {.due = due};
    p.call = inner_call(api, a, S("POST"), str_fmt(a, "/cases/%" PRId64 "/reply", due.case_id));
    int rc = work_write(&p.call->work, post, &p);
    if (rc < 0) {
        struct refusing r = refusal_why(&p, rc);
        struct actor nobody = {.kind = ACTOR_RULE, .scopes = SCOPES_ALL, .cause = CAUSE};
        rc = r.code == ERR_SERVICE_UNAVAILABLE ? -1 : desk_write(api->desk, nobody, keep_refusal, &r);
    }
    arena_free(a);
    return rc >= 0;
}

struct due_list {
    struct scheduled_due *list;
};

static int read_due(struct work *w, void *arg) {
    return scheduled_replies_due(w, PART, &((struct due_list *)arg)->list);
}

bool scheduled_send(struct api *api) {
    struct work w;
    struct due_list due;
    bool ok = true;
    work_init(&w, api->desk, arena_new());
    int n = work_read(&w, 0, read_due, &due);
    for (int i = 0; i < n && ok; i++) ok = scheduled_post(api, due.list[i]);
    if (n < 0 || !ok) log_warn("scheduled replies could not be posted; the next look tries again");
    arena_free(w.arena);
    return ok && n == PART;
}

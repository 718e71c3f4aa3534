/* The first page of the documentation: what people want to do, and the guide or the operation for it. */
#include "api/docs/docs.h"
#include "api/docs/site.h"

#include <assert.h>

/* A row without path begins a group. A path without method is a guide. */
static const struct task {
    const char *title, *path;
    enum method method;
    bool is_guide;
} tasks[] = {
    {"Begin", NULL, GET, false},
    {"Send the first request", "getting-started", GET, true},
    {"Log in, or use a token", "authentication", GET, true},
    {"Write a program, with or without a generated client", "integrating", GET, true},
    {"Find the cause of an error", "handling-errors", GET, true},
    {"Answer customers", NULL, GET, false},
    {"Open a conversation", "/cases", POST, false},
    {"Reply to a conversation", "/cases/:id/reply", POST, false},
    {"Assign a conversation, change its status or priority", "/cases/:id", PUT, false},
    {"Add a note for staff", "/cases/:id/notes", POST, false},
    {"List conversations", "/cases", GET, false},
    {"Search conversations, people and articles", "/search", GET, false},
    {"Attach files", "files", GET, true},
    {"Ask as a customer, from a web site or an app", "/conversations", POST, false},
    {"Manage people", NULL, GET, false},
    {"Add a person", "/users", POST, false},
    {"Invite staff", "/users/invite", POST, false},
    {"Add an organization", "/organizations", POST, false},
    {"Export and erase a person", "erasure", GET, true},
    {"Publish help", NULL, GET, false},
    {"Write an article", "/articles", POST, false},
    {"Import articles", "/bulk/articles", POST, false},
    {"Search the help center", "/helpcenter/search", GET, false},
    {"Automate", NULL, GET, false},
    {"Add a trigger", "/triggers", POST, false},
    {"Promise reply times", "/slas", POST, false},
    {"Tell another system about changes", "endpoints", GET, true},
    {"Receive events of another system", "/webhook/:token/incoming", POST, false},
    {"Follow all changes", "/changes", GET, false},
    {"Hear of changes when they are made", "realtime", GET, true},
    {"Let an app act for people", "/oauth/clients", POST, false},
    {"Receive mail", "/mailboxes", POST, false},
};
#define TASKS (sizeof tasks / sizeof *tasks)

static const char *task_address(const struct manual *m, const struct task *t) {
    if (t->is_guide) return str_fmt(m->arena, "%s/docs/%s", m->root.p, t->path).p;
    for (int i = 0; i < m->count; i++) {
        const struct operation *op = &m->operations[i];
        if (op->route->method == t->method && strcmp(op->route->path, t->path) == 0)
            return str_fmt(m->arena, "%s/docs/reference/%s#%s", m->root.p, op->home->type, op->anchor).p;
    }
    assert(!"a task names an operation that does not exist");
    return "";
}

void docs_tasks(struct buf *out, const struct manual *m) {
    bool listed = false;
    buf_text(out, "<div class=\"tasks\">\n");
    for (size_t i = 0; i < TASKS; i++) {
        const struct task *t = &tasks[i];
        if (t->path) {
            html(out, "<li><a href=\"%s\">%s</a></li>\n", task_address(m, t), t->title);
            continue;
        }
        html(out, "%h<section>\n<h2>%s</h2>\n<ul>\n", listed ? "</ul>\n</section>\n" : "", t->title);
        listed = true;
    }
    buf_text(out, "</ul>\n</section>\n</div>\n");
}

/* The widget of a brand, as owners set it (core/desk/widget.h). */
#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/rows/view.h"
#include "base/limits.h"
#include "core/desk/widget.h"
#include "core/people/visitor.h"
#include "core/words.h"
#include "res/groups.h"

#define OWNERS_ONLY .permission = "brands.manage"

/* The handler that makes a secret leaves it in c->prepared. */
static void render_widget_secret(struct view *v, const struct row *row, const struct value *own) {
    const struct str *secret = v->c->prepared;
    (void)row, (void)own;
    jw_str(&v->w, secret ? *secret : (struct str){0});
}

static const struct field widget_fields[] = {
    {"origins", F_JSON, READONLY, .column = "COALESCE(x.origins, '[]')",
     .doc = "Origins of the pages that show the widget.", .example = "[\"https://shop.example\"]"},
    {"greeting", F_TEXT, READONLY | NULLABLE, .column = "x.greeting",
     .doc = "First words of the widget. Null: its own.", .example = "\"How can we help?\""},
    {"is_anonymous_allowed", F_BOOL, READONLY, .column = "COALESCE(x.is_anonymous_allowed, 1)",
     .doc = "True if every visitor may open a conversation. False: only visitors whom the site has signed "
            "in."},
    {"signing_secret", F_COMPUTED, READONLY | SECRET, .column = "NULL", .render = render_widget_secret,
     .doc = "Key by which the server of the site signs visitors in (POST /widget/identity). It is shown in "
            "the reply to the request that made it; otherwise null.",
     .example = "\"6d5a...\""},
    {"secret_created_at", F_TIME, READONLY | NULLABLE, .column = "x.secret_created_at",
     .doc = "Time when the secret was made. Null: there is none."},
    {0},
};

/* Origins in the form that browsers send, without duplicates. */
struct origins_made {
    struct str *list;
    int count;
};

static bool origins_have(const struct origins_made *m, struct str origin) {
    int i = 0;
    while (i < m->count && !str_eq(m->list[i], origin)) i++;
    return i < m->count;
}

static int check_origins(struct call *c, struct in *in) {
    struct work *w = &c->work;
    struct origins_made *m = in->made = ARENA_NEW(w->arena, struct origins_made);
    int at = 0, problems = w->problem_count;
    if (in->json->count > LIMIT_WIDGET_ORIGINS)
        return fail_at(w, ERR_FIELD_INVALID, in->name, in->pointer, "At most %d origins are allowed.",
                       LIMIT_WIDGET_ORIGINS);
    m->list = arena_array(w->arena, in->json->count + 1, sizeof *m->list);
    for (const struct json *j = in->json->first; j; j = j->next, at++) {
        struct str origin = j->type == JSON_STRING ? widget_origin_read(w->arena, j->text) : (struct str){0};
        if (origin.p == NULL)
            fail_at(w, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d", at),
                    "An origin like https://shop.example or https://shop.example:8443 is expected: no path, "
                    "no *, and http only for localhost.");
        else if (!origins_have(m, origin)) m->list[m->count++] = origin;
    }
    return w->problem_count > problems ? -(int)failure(w) : 0;
}

static const struct field widget_input[] = {
    {"origins", F_TEXTS, BY_HANDLER, .check = check_origins,
     .doc = "The complete list of origins of pages that show the widget, at most 20: https and a host, with "
            "a port if it is not 443. http is for localhost only. An origin belongs to one brand.",
     .example = "[\"https://shop.example\"]"},
    {"greeting", F_TEXT, NULLABLE | BY_HANDLER, .doc = "First words of the widget. Null: its own.",
     .example = "\"How can we help?\""},
    {"is_anonymous_allowed", F_BOOL, BY_HANDLER,
     .doc = "True if every visitor may open a conversation. False: only visitors whom the site has signed "
            "in."},
    {0},
};

static int put_brand_widget(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    const struct in *origins = in(c, "origins");
    struct widget_change x = {.greeting = in_text(c, "greeting"),
                              .is_anonymous_allowed = in_int(c, "is_anonymous_allowed") != 0};
    if (given(c, "greeting")) x.set |= WIDGET_GREETING;
    if (given(c, "is_anonymous_allowed")) x.set |= WIDGET_ANONYMOUS;
    if (origins->given) {
        const struct origins_made *m = origins->made;
        x.set |= WIDGET_ORIGINS;
        if (m) x.origins = m->list, x.origin_count = m->count;
    }
    if (x.set) TRY(widget_change(&c->work, c->id, &x));
    return api_reply(c);
}

static int post_brand_widget_secret(struct call *c) {
    struct str *secret = ARENA_NEW(c->work.arena, struct str);
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(visitor_secret_set(&c->work, c->id, secret));
    c->prepared = secret;
    return api_reply(c);
}

static int delete_brand_widget_secret(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(visitor_secret_set(&c->work, c->id, NULL));
    return api_reply(c);
}

static const struct field no_input[] = {{0}};

static const struct route widget_routes[] = {
    {GET, "/brands/:id/widget", AD, "configuration", ONE, api_get, .summary = "Get the widget of a brand"},
    {PUT, "/brands/:id/widget", OWNERS, "configuration", ONE, put_brand_widget, OWNERS_ONLY,
     .input = widget_input, .summary = "Update the widget of a brand",
     .doc = "A page of a listed origin may call the operations that are marked for widgets with a "
            "fingerprint, without any other credentials. It gets the conversations and articles of this "
            "brand only. Only owners list origins."},
    {POST, "/brands/:id/widget/secret", OWNERS, "", ONE, post_brand_widget_secret, OWNERS_ONLY,
     .input = no_input, .status = 200, .summary = "Make a new secret of a widget",
     .doc = "The reply shows it, once. No token reaches this. The former secret and all visitors who were "
            "signed in by it end."},
    {DELETE, "/brands/:id/widget/secret", OWNERS, "", NONE, delete_brand_widget_secret, OWNERS_ONLY,
     .summary = "Delete the secret of a widget", .doc = "All visitors who were signed in by it end."},
    {0},
};

static void brand_widget_visible(struct work *w, struct branches *out) {
    out->all = w->actor.rank >= ROLE_ADMIN;
}

const struct resource brand_widget_resource = {
    .type = "brand_widget",
    .scope = "configuration",
    .title = "Widgets",
    .doc = "The widget of a brand: a part of the help desk in pages of other sites.",
    .url = "brands/:id/widget",
    .table = "brands",
    .from = "brands t LEFT JOIN brand_widgets x ON x.brand_id = t.id",
    .fields = widget_fields,
    .routes = widget_routes,
    .visible = brand_widget_visible,
    .changes_unseen = true};

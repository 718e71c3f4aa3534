#include "res/tag.h"

#include "api/rows/generic.h"
#include "base/limits.h"
#include "core/cases/case.h"
#include "core/helpcenter/article.h"
#include "core/people/tag.h"
#include "core/people/authority.h"
#include "core/people/user.h"

struct tags {
    struct str *names;
    int count;
};

int check_tags(struct call *c, struct in *in) {
    struct work *w = &c->work;
    struct tags *made = in->made = ARENA_NEW(w->arena, struct tags);
    int at = 0, problems = w->problem_count;
    if (in->json->count > LIMIT_TAGS)
        return fail_at(w, ERR_FIELD_INVALID, in->name, in->pointer, "At most %d tags are allowed.",
                       LIMIT_TAGS);
    made->names = arena_array(w->arena, in->json->count + 1, sizeof *made->names);
    for (const struct json *j = in->json->first; j; j = j->next, at++) {
        bool text = j->type == JSON_STRING || j->type == JSON_NUMBER;
        if (text && str_trim(j->text).n == 0) continue;
        if (text && tag_key(w->arena, j->text).p) made->names[made->count++] = j->text;
        else
            fail_at(w, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d", at),
                    "A text of at most %d characters, without commas and control characters, is expected.",
                    LIMIT_TAG);
    }
    return w->problem_count > problems ? -(int)failure(w) : 0;
}

static int tags_store(struct call *c, const struct in *in, int64_t id, const struct tagging *tagging) {
    static const struct tags none;
    const struct tags *t = in->made ? in->made : &none;
    return tags_replace(&c->work, tagging, id, t->names, t->count);
}
int store_user_tags(struct call *c, const struct in *in, int64_t id) {
    return tags_store(c, in, id, &user_tagging);
}
int store_organization_tags(struct call *c, const struct in *in, int64_t id) {
    return tags_store(c, in, id, &organization_tagging);
}
int store_case_tags(struct call *c, const struct in *in, int64_t id) {
    return tags_store(c, in, id, &case_tagging);
}
int store_article_tags(struct call *c, const struct in *in, int64_t id) {
    return tags_store(c, in, id, &article_tagging);
}

const struct str *tags_given(const struct in *in, int *count) {
    const struct tags *t = in->made;
    *count = t ? t->count : 0;
    return t ? t->names : NULL;
}

int check_tag_keys(struct call *c, struct in *in) {
    struct buf b = {0};
    struct json_writer w;
    TRY(check_tags(c, in));
    const struct tags *t = in->made;
    jw_init(&w, &b);
    jw_array(&w);
    for (int i = 0; i < t->count; i++) jw_str(&w, tag_key(c->work.arena, t->names[i]));
    jw_end(&w);
    in->value = (struct value){.type = V_TEXT, .s = buf_take(&b, c->work.arena)};
    return 0;
}

/* ---- of one person, organization or conversation --------------------------------------------- */

static const struct tagging *tagging_of_call(const struct call *c) {
    return strcmp(c->route->of, "user") == 0   ? &user_tagging
           : strcmp(c->route->of, "case") == 0 ? &case_tagging
                                               : &organization_tagging;
}

/* Locks the conversation. Tags of a closed one may change. */
static int tags_of_case_begin(struct call *c) {
    struct case_now now;
    TRY_FOUND(&c->work, case_load(&c->work, c->vars[0].id, &now));
    return case_not_hidden(&c->work, &now);
}

static int tags_begin(struct call *c) {
    TRY(api_of(c));
    if (tagging_of_call(c) == &case_tagging) TRY(tags_of_case_begin(c));
    if (tagging_of_call(c) == &user_tagging) TRY(user_may_change(&c->work, c->vars[0].id));
    c->id = c->vars[0].id;
    return api_input(c);
}

static int tags_reply(struct call *c) {
    int64_t *ids;
    int n = tags_of(&c->work, tagging_of_call(c), c->id, &ids);
    TRY(n);
    return api_reply_list_of(c, ids, n);
}

static int put_tags(struct call *c) {
    TRY(tags_begin(c));
    if (given(c, "tags")) TRY(tags_store(c, in(c, "tags"), c->id, tagging_of_call(c)));
    return tags_reply(c);
}

static int post_tags(struct call *c) {
    int64_t count = 0;
    TRY(tags_begin(c));
    const struct tags *t = in(c, "tags")->made;
    TRY(tags_add(&c->work, tagging_of_call(c), c->id, t->names, t->count));
    TRY(tags_count(&c->work, tagging_of_call(c), c->id, &count));
    if (count > LIMIT_TAGS)
        return in_fail(c, "tags", ERR_FIELD_INVALID, "At most %d tags are allowed.", LIMIT_TAGS);
    return tags_reply(c);
}

static int delete_tags(struct call *c) {
    TRY(tags_begin(c));
    const struct tags *t = arg(c, "tags")->made;
    TRY(tags_remove(&c->work, tagging_of_call(c), c->id, t->names, t->count));
    return api_reply_none(c);
}

static const struct field add_input[] = {
    {"tags", F_TEXTS, PRESENT, .check = check_tags, .doc = "Tags to add.", .example = "[\"vip\"]"}, {0}};
static const struct field replace_input[] = {
    {"tags", F_TEXTS, 0, .check = check_tags, .doc = "The complete list of tags.", .example = "[\"vip\"]"},
    {0}};
static const struct field remove_args[] = {
    {"tags", F_TEXTS, PRESENT, .check = check_tags, .doc = "Tags to remove.", .example = "[\"vip\"]"}, {0}};

static const struct field tag_fields[] = {
    {"name", F_TEXT, READONLY, .doc = "Name of the tag, as it was first written.", .example = "\"vip\""},
    {0}};

/* clang-format off */
#define TAG_ROUTES(path, scope, type, table, owner, allowed, who, codes)                                             \
    {GET, path, COL_PLUS, scope, LIST, api_list, .of = type,                                                         \
     .where = "t.id IN (SELECT k.tag_id FROM " table " k WHERE k." owner " = :id)", .summary = "List the tags of " who}, \
    {POST, path, AG_PLUS, scope, LIST_COUNT, post_tags, .of = type, .permission = allowed, .status = 201,             \
     .input = add_input, .summary = "Add tags to " who, .doc = "The reply lists all tags.", .errors = codes},         \
    {PUT, path, AG_PLUS, scope, LIST_COUNT, put_tags, .of = type, .permission = allowed, .input = replace_input,      \
     .summary = "Replace the tags of " who, .errors = codes},                                                         \
    {DELETE, path, AG_PLUS, scope, NONE, delete_tags, .of = type, .permission = allowed, .args = remove_args,         \
     .summary = "Remove tags from " who, .errors = codes}
/* clang-format on */

static const struct route tag_routes[] = {
    TAG_ROUTES("/users/:id/tags", "users", "user", "user_tags", "user_id", "users.update", "a user", NULL),
    TAG_ROUTES("/organizations/:id/tags", "users", "organization", "organization_tags", "organization_id",
               "organizations.update", "an organization", NULL),
    TAG_ROUTES("/cases/:id/tags", "conversations", "case", "case_tags", "case_id", NULL, "a conversation",
               "RESOURCE_ACTION_NOT_AVAILABLE"),
    {0},
};

static const struct field tag_items[] = {{ITEM_TEXT, F_TEXT, .doc = "Name of the tag."}, {0}};

const struct resource tag_resource = {.type = "tag",
                                      .scope = "",
                                      .items = tag_items,
                                      .title = "Tags",
                                      .doc = "Tags of people and organizations. A tag is created when it is "
                                             "first used. See Tags of the desk for their rename, merge "
                                             "and deletion.",
                                      .table = "tags",
                                      .where = TAG_EXISTS,
                                      .fields = tag_fields,
                                      .routes = tag_routes,
                                      .visible = access_everyone,
                                      .reference_also = "name"};

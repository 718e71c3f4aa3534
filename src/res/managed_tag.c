/* Tags as admins keep them in order: with the number of what has them, renamed, merged, deleted. Admins see
 * everything that can have a tag, so the numbers tell them nothing new; the tags of other resources
 * (res/tag.c) are shown to all staff, and have no numbers. */
#include "api/rows/generic.h"
#include "base/fold.h"
#include "base/limits.h"
#include "core/access/access.h"
#include "core/people/tag.h"
#include "core/rules/tag_change.h"

static int check_tag_name(struct call *c, struct in *in) {
    in->value.s = str_trim(in->value.s);
    if (tag_key(c->work.arena, in->value.s).p) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "A text of at most %d characters, without commas and control characters, is expected.",
                   LIMIT_TAG);
}

static int check_part(struct call *c, struct in *in) {
    in->value.s = fold_key(c->work.arena, str_trim(in->value.s));
    return 0;
}

#define HAVE_TAG(table) "(SELECT COUNT(*) FROM " table " k WHERE k.tag_id = t.id)"
static const struct field managed_tag_fields[] = {
    {"name", F_TEXT, PRESENT, .max = LIMIT_TAG, .check = check_tag_name,
     .doc = "Name of the tag. Conditions and actions that name the tag follow.",
     .example = "\"gold member\""},
    {"case_count", F_INT, READONLY,
     .column = "(SELECT COALESCE(SUM(n.n1 + n.n2 + n.n3 + n.n4 + n.n5 + n.n6), 0) FROM case_totals n "
               "WHERE n.kind = 7 AND n.id = t.id)",
     .doc = "Number of active conversations with the tag.", .example = "12"},
    {"user_count", F_INT, READONLY, .column = HAVE_TAG("user_tags"), .doc = "Number of people with the tag.",
     .example = "3"},
    {"organization_count", F_INT, READONLY, .column = HAVE_TAG("organization_tags"),
     .doc = "Number of organizations with the tag.", .example = "1"},
    {"article_count", F_INT, READONLY, .column = HAVE_TAG("article_tags"),
     .doc = "Number of articles with the tag.", .example = "0"},
    {"section_count", F_INT, READONLY, .column = HAVE_TAG("section_tags"),
     .doc = "Number of sections that are open to people with the tag.", .example = "0"},
    {"macro_count", F_INT, READONLY,
     .column = "(SELECT COUNT(DISTINCT k.macro_id) FROM macro_tags k WHERE k.tag_id = t.id)",
     .doc = "Number of macros that add or remove the tag.", .example = "2"},
    {"created_at", F_TIME, READONLY, .doc = "Time of creation."},
    {0},
};

static int put_managed_tag(struct call *c) {
    struct tag_row *tag;
    TRY(api_target(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, tags_lock(&c->work, &c->id, 1, &tag));
    if (!given(c, "name")) return api_reply(c);
    struct str name = in_text(c, "name");
    int taken = tag_key_taken(&c->work, c->id, tag_key(c->work.arena, name));
    TRY(taken);
    if (taken)
        return in_fail(c, "name", ERR_FIELD_DUPLICATE,
                       "Another tag has this name. POST /tags/:id/merge joins two tags.");
    TRY(tag_rename(&c->work, tag, name));
    return api_reply(c);
}

/* An id that is absent gets the same answer as one that is merged meanwhile. */
static int post_tag_merge(struct call *c) {
    struct tag_row *tags, *merged, survivor = {0};
    TRY(api_target(c));
    TRY(api_input(c));
    const struct in *given_ids = in(c, "tag_ids");
    int count = (int)given_ids->value.i, n = 0;
    if (count > LIMIT_MERGED)
        return in_fail(c, "tag_ids", ERR_FIELD_INVALID, "At most %d tags are merged at a time.",
                       LIMIT_MERGED);
    for (int i = 0; i < count; i++)
        if (given_ids->value.ids[i] == c->id)
            return in_fail(c, "tag_ids", ERR_FIELD_INVALID, "A tag can't be merged into itself.");
    TRY(api_visible_ids(c, c->home, given_ids, NULL));
    int64_t *ids = arena_array(c->work.arena, (size_t)count + 1, sizeof *ids);
    for (int i = 0; i < count; i++) ids[i] = given_ids->value.ids[i];
    ids[count] = c->id;
    int found = tags_lock(&c->work, ids, count + 1, &tags);
    TRY(found);
    if (found <= count) return fail_field(&c->work, ERR_RESOURCE_NOT_FOUND, S("tag_ids"), NULL);
    merged = arena_array(c->work.arena, (size_t)found, sizeof *merged);
    for (int i = 0; i < found; i++)
        if (tags[i].id == c->id) survivor = tags[i];
        else merged[n++] = tags[i];
    TRY(tags_merge(&c->work, &survivor, merged, n));
    return api_reply(c);
}

static int delete_managed_tags(struct call *c) {
    struct tag_row *tags;
    TRY(api_target(c));
    TRY(api_input(c));
    bool many = c->id == 0;
    int found = tags_lock(&c->work, many ? c->ids : &c->id, many ? c->id_count : 1, &tags);
    TRY_FOUND(&c->work, found);
    TRY(tags_delete(&c->work, tags, found));
    return api_reply(c);
}

static const struct field managed_tag_args[] = {
    {"name", F_TEXT, .check = check_part, .filter = "@INSTR@(t.name_key, :name) > 0",
     .doc = "Only tags whose name contains the text."},
    {0},
};
static const struct field tag_merge_input[] = {
    {"tag_ids", F_IDS, PRESENT, .doc = "Tags that are merged into this one, at most 100.", .example = "[3]"},
    {0},
};

#define MANAGED "settings.manage"
#define CASCADES_LATER "If there are more than 1,000 of them, the rest follows within seconds."
static const struct route managed_tag_routes[] = {
    {GET, "/tags", AD, "configuration", LIST, api_list, .args = managed_tag_args,
     .order = {.key = "t.name_key", .is_text = true}, .label = "tag", .summary = "List tags"},
    {GET, "/tags/:id", AD, "configuration", ONE, api_get, .label = "tag", .summary = "Get a tag"},
    {PUT, "/tags/:id", AD, "configuration", ONE, put_managed_tag, .permission = MANAGED, .label = "tag",
     .summary = "Rename a tag",
     .doc =
         "Everything that has the tag shows the new name. That is no change of a conversation: its "
         "updated_at stays, and no rule runs. Conditions of rules and views, actions and options of custom "
         "fields that name the tag follow."},
    {POST, "/tags/:id/merge", AD, "configuration", ONE, post_tag_merge, .permission = MANAGED, .status = 200,
     .label = "tag", .input = tag_merge_input, .summary = "Merge tags into a tag",
     .doc = "Everything that has one of the merged tags has this one. " CASCADES_LATER
            " The merged tags are deleted; what names them names this one. Sections that are open to people "
            "with one of the tags are then open to people with any of them.",
     .sample = {.path = "1", .body = "{\"tag_ids\":[2]}"}},
    {DELETE, "/tags/:id", AD, "configuration", NONE, delete_managed_tags, .permission = MANAGED,
     .summary = "Delete a tag",
     .doc = "Nothing has the tag any more. " CASCADES_LATER " Refused while a section is open to people with "
            "the tag, or a rule or an option of a custom field names it.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/tags", AD, "configuration", COUNT, delete_managed_tags, .permission = MANAGED,
     .summary = "Delete several tags", .sample = {.path = "7,8"}, .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};

const struct resource managed_tag_resource = {.type = "managed_tag",
                                              .shown_as = "tag",
                                              .scope = "configuration",
                                              .title = "Tags of the desk",
                                              .doc = "All tags, with the number of what has them.",
                                              .url = "tags/:id",
                                              .table = "tags",
                                              .where = "t.gone = 0",
                                              .fields = managed_tag_fields,
                                              .routes = managed_tag_routes,
                                              .visible = access_staff,
                                              .changes_unseen = true};

/* Sections of the help center (docs/HELPCENTER.md). */
#include "core/helpcenter/section.h"

#include "api/rows/generic.h"
#include "api/table/list_arguments.h"
#include "api/rows/view.h"
#include "api/rows/visible.h"
#include "core/access/help_center.h"
#include "core/helpcenter/category.h"
#include "core/people/user.h"
#include "res/groups.h"
#include "res/tag.h"
#include "res/translation.h"

#include <stdlib.h>

extern const struct resource section_resource;

/* ---- translations ---------------------------------------------------------------------------- */

static int check_section_titles(struct call *c, struct in *in) {
    return check_translations(c, in, TITLE_OF_SECTION);
}
static int check_section_descriptions(struct call *c, struct in *in) {
    return check_translations(c, in, DESCRIPTION_OF_SECTION);
}
static int store_section_titles(struct call *c, const struct in *in, int64_t id) {
    return store_translations(c, in, id, TITLE_OF_SECTION);
}
static int store_section_descriptions(struct call *c, const struct in *in, int64_t id) {
    return store_translations(c, in, id, DESCRIPTION_OF_SECTION);
}

/* ---- input ----------------------------------------------------------------------------------- */

static int check_section_category(struct call *c, struct in *in) {
    int held = category_hold(&c->work, in->value.i);
    if (held) return held < 0 ? fail(&c->work, error_of_result(held)) : 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", api_absent(c, "category"));
}

/* A new section has no order by hand yet. */
static int check_article_order(struct call *c, struct in *in) {
    if (c->method == PUT || in->value.i != ARTICLES_MANUAL) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "A new section has LATEST or POPULAR. An update may set MANUAL.");
}

/* The widest visibility that the targets of the call will have. The table lists visibility before the
 * members that depend on it. */
static int visibility_after(struct call *c, int64_t *visibility) {
    const struct in *given = in(c, "visibility");
    *visibility = given->value.i;
    if (given->value.type == V_INT) return 0;
    *visibility = SECTION_AGENTS; /* wrong input: the problem is found already */
    return c->method == PUT && c->id_count ? sections_widest(&c->work, api_ids(c), visibility) : 0;
}

#define TAGS_UNUSED "tags were ignored: they narrow sections with visibility AUTHORIZED or AGENTS."
#define TEAMS_UNUSED "team_ids was ignored: teams narrow sections with visibility AGENTS."

static int ignore_unused(struct call *c, struct in *in, const char *why) {
    notice(&c->work, "NOTICE", "%s", why);
    in->given = false;
    in->value = (struct value){V_NULL};
    return 0;
}

static int check_section_tags(struct call *c, struct in *in) {
    int64_t visibility;
    TRY(visibility_after(c, &visibility));
    return section_has_tags(visibility) ? check_tags(c, in) : ignore_unused(c, in, TAGS_UNUSED);
}

static int check_section_teams(struct call *c, struct in *in) {
    struct work *w = &c->work;
    int64_t visibility, *known;
    TRY(visibility_after(c, &visibility));
    if (!section_has_teams(visibility)) return ignore_unused(c, in, TEAMS_UNUSED);
    int n = section_teams_known(w, json_ids(w->arena, in->value.ids, (size_t)in->value.i), &known);
    TRY(n);
    return in_among(c, in, known, n, api_absent(c, "team"));
}

/* In a bulk call some of the sections may use the list, and others not. */
static int store_section_tags(struct call *c, const struct in *in, int64_t id) {
    int64_t visibility = 0;
    int count;
    TRY(section_visibility(&c->work, id, &visibility));
    if (!section_has_tags(visibility)) return 0;
    const struct str *names = tags_given(in, &count);
    return section_tags_put(&c->work, id, names, count);
}

static int store_section_teams(struct call *c, const struct in *in, int64_t id) {
    int64_t visibility = 0;
    TRY(section_visibility(&c->work, id, &visibility));
    if (!section_has_teams(visibility)) return 0;
    return section_teams_put(&c->work, id, json_ids(c->work.arena, in->value.ids, (size_t)in->value.i));
}

QUERY(section_creator, "SELECT id FROM users WHERE id = :id AND role_type >= 2 AND deleted_at IS NULL");

static int check_section_creator(struct call *c, struct in *in) {
    int64_t id;
    int rc = db_int(c->work.conn, &section_creator, BINDS(B_INT("id", in->value.i)), &id);
    if (rc) return rc < 0 ? fail(&c->work, error_of_result(rc)) : 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "The id of a staff member is expected.");
}

/* ---- the tables ------------------------------------------------------------------------------ */

/* Writers count drafts, others count what they may read. */
static void render_total_articles(struct view *v, const struct row *row, const struct value *own) {
    int64_t total = 0;
    if (access_writes_articles(&v->c->work.actor)) str_to_int(own->s, &total);
    else total = row_cell(row, "published_articles")->i;
    jw_int(&v->w, total);
}

#define SECTION_TITLES                                                                          \
    {                                                                                           \
        "titles", F_MANY, REQUIRED | SINGLE_TOO,                                                \
            .ref = "locale_field", .many = TRANSLATIONS_OF("9"), .check = check_section_titles, \
            .store = store_section_titles,                                                      \
            .doc = "Titles: a list of {locale, translation} that replaces the "                 \
                   "present ones, or one text in the default locale of the desk.",              \
            .example = "[{\"locale\": \"en-us\", \"translation\": \"Invoices\"}]"               \
    }
#define SECTION_DESCRIPTIONS                                                                           \
    {                                                                                                  \
        "descriptions", F_MANY, NULLABLE | SINGLE_TOO,                                                 \
            .ref = "locale_field", .many = TRANSLATIONS_OF("10"), .check = check_section_descriptions, \
            .store = store_section_descriptions, .doc = "Descriptions, in the same form as titles.",   \
            .example = "[{\"locale\": \"en-us\", \"translation\": \"How we bill.\"}]"                  \
    }
#define SECTION_VISIBILITY(start)                                                                           \
    {                                                                                                       \
        "visibility", F_WORD, 0, .words = section_visibilities, .initial = start,                           \
                                 .doc = "PUBLIC: everyone. AUTHORIZED: logged-in people; with tags, those " \
                                        "who carry one of them. AGENTS: staff; with teams, members of one " \
                                        "of them; with tags, those who carry one of them. Admins and "      \
                                        "owners see all sections.",                                         \
                                 .example = "\"PUBLIC\""                                                    \
    }
#define SECTION_TAGS                                                                                        \
    {                                                                                                       \
        "tags", F_MANY, NULLABLE, .ref = "tag", .many = TAGS_OF("section_tags", "section_id"),              \
                                  .check = check_section_tags, .store = store_section_tags, .to = TO_STAFF, \
                                  .doc = "Tags, at most 100. They narrow AUTHORIZED and AGENTS sections, "  \
                                         "and are ignored for others.",                                     \
                                  .example = "[\"vip\"]"                                                    \
    }
#define SECTION_TEAM_IDS                                                              \
    {                                                                                 \
        "team_ids", F_IDS, INPUT_ONLY,                                                \
            .column = "", .check = check_section_teams, .store = store_section_teams, \
            .doc = "Ids of teams. They narrow AGENTS sections, and are ignored for "  \
                   "others.",                                                         \
            .example = "[1]"                                                          \
    }
#define SECTION_CATEGORY(flags) \
    { "category", F_REF, flags, .ref = "category", .check = check_section_category, .doc = "Category." }
#define SECTION_ORDER(start)                                                                               \
    {                                                                                                      \
        "article_order_by", F_WORD, 0, .words = article_orders, .initial = start,                          \
                                       .check = check_article_order,                                       \
                                       .doc = "Order of the articles: LATEST, POPULAR, or, in an update, " \
                                              "MANUAL.",                                                   \
                                       .example = "\"LATEST\""                                             \
    }
#define SECTION_LEGACY_ID                                                                       \
    {                                                                                           \
        "legacy_id", F_TEXT, CREATE_ONLY | NULLABLE | UNIQUE,                                   \
            .doc = "Id in the system that the section was imported from.", .example = "\"S-7\"" \
    }

static const struct field section_fields[] = {
    SECTION_LEGACY_ID,
    SECTION_TITLES,
    SLUGS_MEMBER("section_slug"),
    SECTION_DESCRIPTIONS,
    SECTION_VISIBILITY("PUBLIC"),
    {"teams", F_MANY, READONLY, .ref = "team",
     .many = "SELECT k.section_id, k.team_id FROM section_teams k "
             "JOIN teams g ON g.id = k.team_id WHERE k.section_id IN @LIST(:ids) AND g.deleted_at IS NULL "
             "ORDER BY k.section_id, k.team_id",
     .to = TO_STAFF, .doc = "Teams that narrow the section."},
    SECTION_TAGS,
    TAG_NAMES_MEMBER,
    SECTION_TEAM_IDS,
    SECTION_CATEGORY(REQUIRED),
    {"agent", F_REF, READONLY, .ref = "user_minimal", .bound = ":me",
     .doc = "Person who created the section."},
    SECTION_ORDER("LATEST"),
    {"total_articles", F_COMPUTED, READONLY, .column = "t.total_articles", .render = render_total_articles,
     .doc = "Number of articles. Drafts count for callers who may write articles.", .example = "12"},
    {"published_articles", F_INT, HIDDEN, .column = "t.published_articles"},
    {"sort_order", F_INT, READONLY | ON_DEMAND,
     .doc = "Position in the help center. PUT /sections/reorder changes it."},
    {"*", .group = row_times},
    {0},
};

static const struct field section_records[] = {
    SECTION_LEGACY_ID,
    SECTION_TITLES,
    SECTION_DESCRIPTIONS,
    SECTION_VISIBILITY("PUBLIC"),
    SECTION_TAGS,
    SECTION_TEAM_IDS,
    SECTION_CATEGORY(REQUIRED),
    {"creator", F_REF, BY_HANDLER, .ref = "user", .column = "t.agent_id", .check = check_section_creator,
     .doc = "Id of the staff member who is shown as `agent`. Default: the caller."},
    SECTION_ORDER("LATEST"),
    {0},
};

static const struct field section_many_input[] = {SECTION_CATEGORY(0), SECTION_VISIBILITY(NULL), SECTION_TAGS,
                                                  SECTION_TEAM_IDS,    SECTION_ORDER(NULL),      {0}};

/* ---- handlers -------------------------------------------------------------------------------- */

static int section_insert(struct call *c) {
    TRY(api_insert(c));
    return section_place(&c->work, c->id);
}

/* A record of a bulk import. */
static int section_import(struct call *c) {
    TRY(section_insert(c));
    const struct in *creator = in(c, "creator");
    return creator->value.type == V_INT ? section_set_creator(&c->work, c->id, creator->value.i) : 0;
}

static int post_section(struct call *c) {
    TRY(api_input(c));
    TRY(section_insert(c));
    c->sees_written = true;
    return api_reply(c);
}

static int put_sections(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_store(c));
    if (given(c, "visibility")) TRY(sections_drop_unused(&c->work, api_ids(c)));
    c->sees_written = true;
    return api_reply(c);
}

static int get_sections(struct call *c) {
    TRY(api_input(c));
    if (arg(c, "category_id")->given)
        notice(&c->work, "NOTICE", "category_id is deprecated. Use category_ids.");
    return api_list(c);
}

#define SECTION_WRONG "The brand has no section with this id. GET /sections lists all that you see."

static int put_sections_order(struct call *c) {
    int64_t brand = 0;
    TRY(api_input(c));
    const struct in *ids = in(c, "section_ids");
    TRY(api_visible_ids(c, &section_resource, ids, SECTION_WRONG));
    if (failed(&c->work)) return -(int)failure(&c->work);
    TRY(section_brand(&c->work, in(c, "section")->value.type == V_INT ? in_int(c, "section") : 0, &brand));
    int wrong = sections_reorder(&c->work, brand, ids->value.ids, (int)ids->value.i);
    if (wrong > 0)
        return fail_at(&c->work, ERR_FIELD_INVALID, ids->name, in_place(c, ids, "%d", wrong - 1),
                       SECTION_WRONG);
    TRY(wrong);
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

/* A copier of help centers asks for some categories and some imported sections at once. */
static const struct field section_args[] = {
    {"category_ids", F_IDS, EITHER, .filter = "t.category_id IN @LIST(:category_ids)",
     .doc = "Only sections of these categories. With legacy_ids, sections that fulfil one of both."},
    {"category_id", F_INT, EITHER, .min = 1, .max = INT64_MAX, .filter = "t.category_id = :category_id",
     .doc = "Deprecated: use category_ids."},
    LEGACY_IDS(EITHER),
    {0},
};
static const struct field sections_order[] = {
    {"section_ids", F_IDS, PRESENT,
     .doc = "Ids of sections in the new order, at most 1000. The others follow "
            "in their old order.",
     .example = "[2, 1]"},
    {"section", F_REF, 0, .ref = "section",
     .doc = "Id of a section of the brand whose sections are ordered. Default: "
            "the default brand."},
    {0},
};
static const struct field section_import_input[] = {
    {"sections", F_LIST, REQUIRED, .doc = "Sections to create, at most 200.",
     .example = "[{\"titles\": [{\"locale\": \"en-us\", \"translation\": \"Invoices\"}], \"category_id\": "
                "1, \"legacy_id\": \"S-7\"}]"},
    {0},
};

#define MANAGED .permission = "help_center.manage"

static const struct route section_routes[] = {
    {GET, "/sections", PUBLIC, "", LIST, get_sections, .args = section_args, .order = {.key = "t.created_at"},
     .summary = "List sections"},
    {GET, "/sections/:id", PUBLIC, "", ONE, api_get, .summary = "Get a section"},
    {POST, "/sections", AG_PLUS, "conversations", ONE, post_section, MANAGED, .summary = "Create a section"},
    {POST, "/bulk/sections", AG_PLUS, "conversations", ONE, api_import, MANAGED, .status = 202,
     .reply = "bulk_job", .label = "job", .input = section_import_input, .args = import_args,
     .records = &section_resource, .record_list = "sections", .summary = "Import sections",
     .doc = "The job lists the invalid records when it has ended."},
    {PUT, "/sections/reorder", AG_PLUS, "conversations", NONE, put_sections_order, MANAGED,
     .input = sections_order, .summary = "Reorder sections"},
    {PUT, "/sections/:id", AG_PLUS, "conversations", ONE, put_sections, MANAGED,
     .summary = "Update a section"},
    {PUT, "/sections", AG_PLUS, "conversations", COUNT, put_sections, MANAGED, .input = section_many_input,
     .summary = "Update several sections"},
    {DELETE, "/sections/:id", AG_PLUS, "conversations", NONE, api_delete, MANAGED,
     .summary = "Delete a section", .doc = "Deletes its articles, too."},
    {DELETE, "/sections", AG_PLUS, "conversations", COUNT, api_delete, MANAGED,
     .summary = "Delete several sections", .doc = "Deletes their articles, too."},
    {0},
};

const struct resource section_resource = {
    .type = "section",
    .scope = "conversations",
    .title = "Sections",
    .doc = "Sections of the help center. A section is in a category and has "
           "articles.",
    .url = "sections/:id",
    .table = "sections",
    .where = "t.deleted_at IS NULL",
    .fields = section_fields,
    .remove = sections_delete,
    .routes = section_routes,
    .visible = access_sections,
    .record_fields = section_records,
    .insert = section_import,
    .changes_unseen = true};

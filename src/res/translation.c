#include "res/translation.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "base/limits.h"
#include "core/access/help_center.h"
#include "core/helpcenter/article_attachment.h"
#include "core/helpcenter/slug.h"
#include "res/groups.h"

static struct str member_text(const struct json *object, struct str name) {
    const struct json *j = json_named(object, name);
    return j && (j->type == JSON_STRING || j->type == JSON_NUMBER) ? j->text : (struct str){0};
}

static struct str place_in(struct call *c, struct str place, const char *member) {
    return str_fmt(c->work.arena, "%.*s/%s", (int)place.n, place.p, member);
}

/* A translation that stays: {id}, as replies refer to it. */
static int read_reference(struct call *c, const struct in *in, const struct json *j, struct str place,
                          struct told told, struct translation *t) {
    int64_t id = 0;
    bool number = str_to_int(member_text(j, S("id")), &id) && told.owner_id;
    int rc = number ? translation_find(&c->work, told.kind, told.owner_id, id, t) : 0;
    if (rc) return rc < 0 ? rc : 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, place_in(c, place, "id"),
                   "This object has no translation with this id. Omit the id for a new one.");
}

static int translation_read_text(struct call *c, const struct in *in, const struct json *j, struct str place,
                                 struct told told, struct translation *t) {
    struct work *w = &c->work;
    struct str code = member_text(j, S("locale")), text = member_text(j, S("translation"));
    int known = code.p && code.n < LIMIT_LOCALE ? locale_find(w, code, &t->locale) : 0;
    int enabled = known > 0 ? locale_is_enabled(w, t->locale) : known;
    if (enabled < 0) return enabled;
    const char *why =
        text.p ? text_wrong(w->arena, text, translation_limit(told.kind), translation_is_line(told.kind))
               : "A text is expected.";
    if (!enabled)
        fail_at(w, ERR_FIELD_INVALID, in->name, place_in(c, place, "locale"),
                known ? "This locale is disabled. Enable it first."
                      : "There is no such locale. GET /locales lists them.");
    if (why) fail_at(w, ERR_FIELD_INVALID, in->name, place_in(c, place, "translation"), "%s", why);
    else if (str_trim(text).n == 0)
        fail_at(w, ERR_FIELD_EMPTY, in->name, place_in(c, place, "translation"), NULL);
    t->text = text;
    return 0;
}

static int translation_read(struct call *c, const struct in *in, const struct json *j, struct str place,
                            struct told told, const struct translations *before, struct translation *t) {
    if (j->type != JSON_OBJECT)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, place,
                       "An object of locale and translation is expected.");
    bool refers = json_named(j, S("id")) && !json_named(j, S("translation"));
    TRY(refers ? read_reference(c, in, j, place, told, t) : translation_read_text(c, in, j, place, told, t));
    for (int i = 0; t->locale.p && i < before->count; i++)
        if (str_eq(before->list[i].locale, t->locale))
            return fail_at(&c->work, ERR_FIELD_DUPLICATE, in->name, place_in(c, place, "locale"),
                           "This locale is given twice.");
    return 0;
}

int translations_read(struct call *c, const struct in *in, const struct json *list, struct str place,
                      struct told told, struct translations *out) {
    struct arena *a = c->work.arena;
    int problems = c->work.problem_count;
    *out = (struct translations){0};
    if (list->type != JSON_ARRAY)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, place, "A list is expected.");
    if (list->count == 0) return fail_at(&c->work, ERR_FIELD_EMPTY, in->name, place, NULL);
    if (list->count > LIMIT_OWNED)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, place, "At most %d are allowed.", LIMIT_OWNED);
    struct translation *each = arena_array(a, list->count, sizeof *each);
    out->list = each;
    for (const struct json *j = list->first; j; j = j->next, out->count++) {
        int rc = translation_read(c, in, j, str_fmt(a, "%s/%d", place.p, out->count), told, out,
                                  &each[out->count]);
        if (rc < 0 && !failed(&c->work)) return rc;
    }
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

int translation_plain(struct call *c, const struct in *in, struct str text, struct str place,
                      enum locale_owner kind, struct translations *out) {
    const char *why = text_wrong(c->work.arena, text, translation_limit(kind), translation_is_line(kind));
    if (why) return fail_at(&c->work, ERR_FIELD_INVALID, in->name, place, "%s", why);
    if (str_trim(text).n == 0) return fail_at(&c->work, ERR_FIELD_EMPTY, in->name, place, NULL);
    struct translation *one = ARENA_NEW(c->work.arena, struct translation);
    *one = (struct translation){locale_now(&c->work), text};
    *out = (struct translations){one, 1, .single = true};
    return 0;
}

/* An object without locale is refused like one in a list. */
static int translation_alone(struct call *c, const struct in *in, const struct json *item, struct str place,
                             struct told told, struct translations *out) {
    if (item->type == JSON_STRING || item->type == JSON_NUMBER)
        return translation_plain(c, in, item->text, place, told.kind, out);
    struct translation *one = ARENA_NEW(c->work.arena, struct translation);
    int problems = c->work.problem_count;
    static const struct translations none;
    TRY(translation_read(c, in, item, place, told, &none, one));
    *out = (struct translations){one, 1, .single = true};
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

int check_translations(struct call *c, struct in *in, enum locale_owner kind) {
    struct translations *made = in->made = ARENA_NEW(c->work.arena, struct translations);
    struct told told = {kind, c->method == PUT ? c->id : 0};
    struct str place = in->pointer.p ? in->pointer : in->name;
    if (in->json->count == 0 && in->field->flags & NULLABLE) return 0;
    if (in->single) return translation_alone(c, in, in->json->first, place, told, made);
    return translations_read(c, in, in->json, place, told, made);
}

int store_translations(struct call *c, const struct in *in, int64_t id, enum locale_owner kind) {
    static const struct translations none;
    const struct translations *t = in->made ? in->made : &none;
    if (t->single) return translation_put(&c->work, kind, id, t->list[0]);
    return translations_replace(&c->work, kind, id, t->list, t->count);
}

/* ---- the resource ---------------------------------------------------------------------------- */

/* Contents of articles show pictures of attached files. */
static void render_translation(struct view *v, const struct row *row, const struct value *own) {
    const struct work *w = &v->c->work;
    bool pictures = row_cell(row, "owner_kind")->i == CONTENTS_OF_ARTICLE;
    jw_str(&v->w, pictures ? article_contents_shown(w->arena, w->desk, row_cell(row, "owner_id")->i, own->s)
                           : own->s);
}

static const struct field locale_field_fields[] = {
    {"owner_kind", F_INT, HIDDEN, .column = "t.owner_kind"},
    {"owner_id", F_INT, HIDDEN, .column = "t.owner_id"},
    {"locale", F_TEXT, READONLY, .doc = "Code of the locale.", .example = "\"en-us\""},
    {"translation", F_LONG, READONLY, .render = render_translation, .doc = "The text in this locale.",
     .example = "\"Plan\""},
    {"*", .group = row_times},
    {0},
};

/* Translations are visible to callers who see their owner. Kinds: enum locale_owner. */
#define OF_FIELDS(condition)                                                                                      \
    "(t.owner_kind IN (1, 3, 4) AND EXISTS (SELECT 1 FROM custom_fields f WHERE f.id = t.owner_id AND " condition \
    "))"
#define OF_OPTIONS(condition)                                                                  \
    "(t.owner_kind = 2 AND EXISTS (SELECT 1 FROM custom_field_options o JOIN custom_fields f " \
    "ON f.id = o.field_id WHERE o.id = t.owner_id AND " condition "))"

#define OF_FORMS(condition)                                           \
    "(t.owner_kind IN (5, 6) AND EXISTS (SELECT 1 FROM case_forms f " \
    "WHERE f.id = t.owner_id AND " condition "))"

/* Adds one branch: translations of these kinds whose owner is a row of `table` that the actor sees. */
static void translations_of_visible(struct work *w, const char *kinds, const char *table,
                                    void (*visible)(struct work *, struct branches *), struct branches *out) {
    struct branches owners = {0}, through = {0};
    visible(w, &owners);
    access_through(w, table, "t.owner_id", NULL, &owners, &through);
    branch_add(out, str_fmt(w->arena, "t.owner_kind IN (%s) AND %s", kinds, through.where[0]).p);
}

static void translation_visible(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_ADMIN) {
        branch_add(out, "t.owner_kind <= 6");
    } else if (w->actor.rank >= ROLE_COLLABORATOR) {
        branch_add(out, OF_FIELDS("f.is_enabled = 1"));
        branch_add(out, OF_OPTIONS("f.is_enabled = 1"));
        branch_add(out, OF_FORMS("f.is_enabled = 1"));
    } else {
        branch_add(out, OF_FIELDS("f.is_enabled = 1 AND f.is_visible_to_customers = 1"));
        branch_add(out, OF_OPTIONS("f.is_enabled = 1 AND f.is_visible_to_customers = 1"));
        branch_add(out, OF_FORMS("f.is_enabled = 1 AND f.is_visible_to_customers = 1"));
    }
    translations_of_visible(w, "7, 8", "categories", access_categories, out);
    translations_of_visible(w, "9, 10", "sections", access_sections, out);
    translations_of_visible(w, "11, 12", "articles", access_articles, out);
    branch_bind_int(out, ":me", w->actor.user_id); /* some of these name it, and the next one */
    if (w->actor.widget_brand_id) branch_bind_int(out, ":widget_brand", w->actor.widget_brand_id);
}

static const struct route locale_field_routes[] = {
    {GET, "/locale/fields/:id", PUBLIC, "", ONE, api_get, .summary = "Get a translation",
     .doc = "For all callers who see the translated object."},
    {0},
};

static const struct field translation_items[] = {
    {"id", F_INT, 0, .doc = "Without translation: the object keeps its translation with this id."},
    {"locale", F_TEXT, 0, .doc = "An enabled locale, as GET /locales lists them.", .example = "\"en-us\""},
    {"translation", F_LONG, 0, .doc = "The text.", .example = "\"Plan\""},
    {0},
};

const struct resource locale_field_resource = {.type = "locale_field",
                                               .scope = "conversations",
                                               .items = translation_items,
                                               .title = "Translations",
                                               .doc = "Translations of names and other texts.",
                                               .url = "locale/fields/:id",
                                               .table = "locale_fields",
                                               .where = "NOT " OF_OPTIONS("f.deleted_at IS NOT NULL"),
                                               .fields = locale_field_fields,
                                               .routes = locale_field_routes,
                                               .visible = translation_visible};

/* ---- slugs: rows are shown only inside of their owner ---------------------------------------- */

static void render_slug(struct view *v, const struct row *row, const struct value *own) {
    const struct value *title = row_cell(row, "title");
    int64_t id = 0;
    str_to_int(own->s, &id);
    jw_str(&v->w, slug_of(v->c->work.arena, id, title->s));
}

static const struct field slug_fields[] = {
    {"locale", F_TEXT, READONLY, .doc = "Code of the locale of the title.", .example = "\"en-us\""},
    {"translation", F_COMPUTED, READONLY, .column = "t.owner_id", .render = render_slug,
     .doc = "The slug: id and words of the title.", .example = "\"3-billing\""},
    {"title", F_TEXT, HIDDEN, .column = "t.translation"},
    {0},
};

/* Rows are shown only inside of their owner. */
#define SLUGS_OF(what, kind)                                                           \
    .scope = "conversations", .shown_as = "slug", .title = "Slugs of " what,           \
    .doc = "Last parts of the addresses of " what ". They follow from the titles.",    \
    .from = "locale_fields t", .where = "t.owner_kind = " kind, .fields = slug_fields, \
    .visible = access_everyone

const struct resource category_slug_resource = {.type = "category_slug", SLUGS_OF("categories", "7")};
const struct resource section_slug_resource = {.type = "section_slug", SLUGS_OF("sections", "9")};
const struct resource article_slug_resource = {.type = "article_slug", SLUGS_OF("articles", "11")};

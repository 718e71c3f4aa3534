#include "res/translation.h"

#include "api/generic.h"
#include "base/limits.h"

static struct str member_text(const struct json *object, struct str name) {
    const struct json *j = json_named(object, name);
    return j && (j->type == JSON_STRING || j->type == JSON_NUMBER) ? j->text : (struct str){0};
}

static int read_one(struct call *c, const struct in *in, const struct json *j, struct str place,
                    const struct translations *before, struct translation *t) {
    struct work *w = &c->work;
    struct str code = member_text(j, S("locale")), text = member_text(j, S("translation"));
    if (j->type != JSON_OBJECT)
        return fail_at(w, ERR_FIELD_INVALID, in->name, place, "An object of locale and translation is expected.");
    int known = code.p && code.n < LIMIT_LOCALE ? locale_find(w, code, &t->locale) : 0;
    if (known < 0) return known;
    const char *why = text.p ? text_wrong(w->arena, text, LIMIT_TITLE, true) : "A text is expected.";
    if (known == 0)
        fail_at(w, ERR_FIELD_INVALID, in->name, str_fmt(w->arena, "%s/locale", place.p), "There is no such locale.");
    if (why)
        fail_at(w, ERR_FIELD_INVALID, in->name, str_fmt(w->arena, "%s/translation", place.p), "%s", why);
    else if (str_trim(text).n == 0)
        fail_at(w, ERR_FIELD_EMPTY, in->name, str_fmt(w->arena, "%s/translation", place.p), NULL);
    t->text = text;
    for (int i = 0; known && i < before->count; i++)
        if (str_eq(before->list[i].locale, t->locale))
            return fail_at(w, ERR_FIELD_DUPLICATE, in->name, str_fmt(w->arena, "%s/locale", place.p),
                           "This locale is given twice.");
    return 0;
}

int translations_read(struct call *c, const struct in *in, const struct json *list, struct str place,
                      struct translations *out) {
    struct arena *a = c->work.arena;
    int problems = c->work.problem_count;
    *out = (struct translations){0};
    if (list->type != JSON_ARRAY) return fail_at(&c->work, ERR_FIELD_INVALID, in->name, place, "A list is expected.");
    if (list->count == 0) return fail_at(&c->work, ERR_FIELD_EMPTY, in->name, place, NULL);
    if (list->count > LIMIT_OWNED)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, place, "At most %d are possible.", LIMIT_OWNED);
    struct translation *each = arena_array(a, list->count, sizeof *each);
    out->list = each;
    for (const struct json *j = list->first; j; j = j->next, out->count++) {
        int rc = read_one(c, in, j, str_fmt(a, "%s/%d", place.p, out->count), out, &each[out->count]);
        if (rc < 0 && !failed(&c->work)) return rc;
    }
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

int translation_plain(struct call *c, const struct in *in, struct str text, struct str place,
                      struct translations *out) {
    const char *why = text_wrong(c->work.arena, text, LIMIT_TITLE, true);
    if (why) return fail_at(&c->work, ERR_FIELD_INVALID, in->name, place, "%s", why);
    if (str_trim(text).n == 0) return fail_at(&c->work, ERR_FIELD_EMPTY, in->name, place, NULL);
    struct translation *one = ARENA_NEW(c->work.arena, struct translation);
    *one = (struct translation){locale_now(&c->work), text};
    *out = (struct translations){one, 1};
    return 0;
}

int check_translations(struct call *c, struct in *in) {
    struct translations *made = in->made = ARENA_NEW(c->work.arena, struct translations);
    return translations_read(c, in, in->json, in->pointer.p ? in->pointer : in->name, made);
}

/* ---- the resource ----------------------------------------------------------------------------------------------- */

static const struct field locale_field_fields[] = {
    {"locale",                F_TEXT, READONLY, .doc = "Code of the language.", .example = "\"en-us\""},
    {"translation",               F_TEXT, READONLY, .doc = "What is said in it.", .example = "\"Plan\""},
    {"created_at", F_TIME, READONLY, .doc = "When it was made."},
    {"updated_at",           F_TIME, READONLY, .doc = "When it last changed."},
    {0              },
};

/* Whoever sees a custom field sees what it and its options are called. Kinds: enum locale_owner. */
#define OF_FIELDS(condition)                                                                                           \
    "(t.owner_kind = 1 AND EXISTS (SELECT 1 FROM custom_fields f WHERE f.id = t.owner_id AND " condition "))"
#define OF_OPTIONS(condition)                                                                                                                             \
    "(t.owner_kind = 2 AND EXISTS (SELECT 1 FROM custom_field_options o JOIN custom_fields f ON f.id = o.field_id WHERE o.id = t.owner_id AND " condition \
    "))"

static void visible(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_ADMIN) {
        out->all = true;
    } else if (w->actor.rank >= ROLE_COLLABORATOR) {
        branch_add(out, OF_FIELDS("f.is_enabled = 1"));
        branch_add(out, OF_OPTIONS("f.is_enabled = 1"));
    } else {
        branch_add(out, OF_FIELDS("f.is_enabled = 1 AND f.is_visible_to_customers = 1"));
        branch_add(out, OF_OPTIONS("f.is_enabled = 1 AND f.is_visible_to_customers = 1"));
    }
}

static const struct route locale_field_routes[] = {
    {GET,     "/locale/fields/:id", PUBLIC, "", ONE, api_get, .summary = "Read a translation",
     .doc = "Whoever sees what it belongs to reads it."},
    {0},
};

const struct resource locale_field_resource = {.type = "locale_field",
                                               .title = "Translations",
                                               .doc = "What something is called in a language.",
                                               .url = "locale/fields/:id",
                                               .table = "locale_fields",
                                               .where = "NOT " OF_OPTIONS("f.deleted_at IS NOT NULL"),
                                               .fields = locale_field_fields,
                                               .routes = locale_field_routes,
                                               .visible = visible};

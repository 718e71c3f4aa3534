#include "pages/form_value.h"

#include <inttypes.h>

/* Customers see and set it here. */
static bool is_shown(const struct json *field) {
    return json_member_true(field, "is_customer_editable") && !json_member_true(field, "is_system");
}

static struct str in_locale(const struct json *list, struct str locale) {
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        if (str_eqi(json_member_text(j, "locale"), locale)) return json_member_text(j, "translation");
    return (struct str){0};
}

/* The title for customers, in the locale of the page, or else in any. */
static struct str title_of(struct form_page *a, const struct json *field) {
    const struct json *own = json_member(field, S("customer_titles")), *all = json_member(field, S("titles"));
    struct str locale = a->visit->locale, title = in_locale(own, locale);
    if (title.n == 0 && own && own->first) title = json_member_text(own->first, "translation");
    if (title.n == 0) title = in_locale(all, locale);
    return title.n ? title : json_member_text(field, "title");
}

int form_value_field(struct form_page *a, const struct json *field, struct form_field *out) {
    struct str key = json_member_text(field, "key");
    if (!is_shown(field)) return 0;
    struct str hint = in_locale(json_member(field, S("descriptions")), a->visit->locale);
    bool file = str_eq(json_member_text(field, "type"), S("FILE"));
    *out = (struct form_field){.name = str_fmt(a->arena, "field_values[%s]", key.p).p,
                               .label = title_of(a, field).p,
                               .parameter = str_fmt(a->arena, "field_values.%s", key.p).p,
                               .type = file ? "file" : NULL,
                               .hint = file && a->visit->http->files ? WORD_FILES_AGAIN : 0,
                               .hint_text = hint.n && !(file && a->visit->http->files) ? hint.p : NULL,
                               .required = json_member_true(field, "is_required_for_customers")};
    return 1;
}

static struct str id_text(struct form_page *a, const struct json *object) {
    return str_fmt(a->arena, "%" PRId64, tree_int(object, "id"));
}

static void put_option(struct form_page *a, struct str value, struct str label, bool chosen) {
    html(form_out(a), "<option value=\"%s\"%h>%s</option>\n", value.p, chosen ? " selected" : "", label.p);
}

static void put_select(struct form_page *a, const struct form_field *f, const struct json *field) {
    const struct json *options = json_member(field, S("options"));
    struct str typed = form_typed(a, f->name);
    form_label(a, f);
    html(form_out(a), "<select");
    form_attributes(a, f);
    html(form_out(a), ">\n");
    put_option(a, S(""), S(""), typed.n == 0);
    if (str_eq(json_member_text(field, "type"), S("YESNO"))) {
        put_option(a, S("true"), str_of(form_say(a, WORD_YES)), str_eq(typed, S("true")));
        put_option(a, S("false"), str_of(form_say(a, WORD_NO)), str_eq(typed, S("false")));
    }
    for (const struct json *o = options ? options->first : NULL; o; o = o->next) {
        struct str id = id_text(a, o), title = in_locale(json_member(o, S("titles")), a->visit->locale);
        put_option(a, id, title.n ? title : json_member_text(o, "title"), str_eq(typed, id));
    }
    html(form_out(a), "</select>\n");
}

static bool is_chosen(const struct json *typed, struct str id) {
    for (const struct json *j = typed && typed->type == JSON_ARRAY ? typed->first : NULL; j; j = j->next)
        if (str_eq(j->text, id)) return true;
    return typed && typed->type == JSON_STRING && str_eq(typed->text, id);
}

/* Radio buttons or checkboxes in a fieldset. */
static void put_choices(struct form_page *a, const struct form_field *f, const struct json *field,
                        const char *type) {
    struct buf *out = form_out(a);
    const struct json *options = json_member(field, S("options")),
                      *values = json_member(a->visit->form, S("field_values"));
    const struct json *typed = json_member(values, json_member_text(field, "key"));
    bool many = strcmp(type, "checkbox") == 0;
    html(out, "<fieldset id=\"%s\" tabindex=\"-1\"", form_id(a, f));
    if (form_is_described(a, f)) html(out, " aria-describedby=\"%s-notes\"", form_id(a, f));
    html(out, ">\n<legend>%s", f->label);
    if (!f->required) html(out, " <span class=\"optional\">(%s)</span>", form_say(a, WORD_OPTIONAL));
    buf_text(out, "</legend>\n");
    form_notes(a, f);
    for (const struct json *o = options ? options->first : NULL; o; o = o->next) {
        struct str id = id_text(a, o), title = in_locale(json_member(o, S("titles")), a->visit->locale);
        html(out, "<label class=\"choice\"><input type=\"%h\" name=\"%s%h\" value=\"%s\"%h> %s</label>\n",
             type, f->name, many ? "[]" : "", id.p, is_chosen(typed, id) ? " checked" : "",
             title.n ? title.p : json_member_text(o, "title").p);
    }
    html(out, "</fieldset>\n");
}

int form_value(struct form_page *a, const struct json *field) {
    struct form_field f;
    if (form_value_field(a, field, &f) == 0) return 0;
    struct str type = json_member_text(field, "type");
    bool lines = str_eq(type, S("TEXTAREA")), date = str_eq(type, S("DATE"));
    if (lines || date) f.type = lines ? "textarea" : "date";
    if (str_eq(type, S("SELECT")) || str_eq(type, S("CASCADINGSELECT")) || str_eq(type, S("YESNO")))
        put_select(a, &f, field);
    else if (str_eq(type, S("RADIO"))) put_choices(a, &f, field, "radio");
    else if (str_eq(type, S("CHECKBOX"))) put_choices(a, &f, field, "checkbox");
    else form_field(a, &f);
    return 1;
}

static void append_copies(struct form_page *a, struct json *to, const struct json *from) {
    for (const struct json *j = from && from->type == JSON_OBJECT ? from->first : NULL; j; j = j->next) {
        struct json *copy = ARENA_NEW(a->arena, struct json);
        *copy = *j;
        copy->next = NULL;
        json_append(to, copy);
    }
}

void form_values_take(struct form_page *a, struct json *body, const struct json *files) {
    struct json *values = json_new(a->arena, JSON_OBJECT);
    append_copies(a, values, json_member(a->visit->form, S("field_values")));
    append_copies(a, values, files);
    values->name = S("field_values");
    if (values->first) json_append(body, values);
}

#define FIELD_VALUES_PART "field_values["

struct http_file *form_files(struct form_page *a, bool of_fields) {
    struct http_file *first = NULL, **end = &first;
    for (const struct http_file *f = a->visit->http->files; f; f = f->next) {
        if (str_starts(f->field, S(FIELD_VALUES_PART)) != of_fields) continue;
        struct http_file *copy = *end = ARENA_NEW(a->arena, struct http_file);
        *copy = *f;
        copy->next = NULL;
        end = &copy->next;
    }
    return first;
}

/* The key in "field_values[key]". */
static struct str key_of_part(const struct http_file *f) {
    struct str rest = {f->field.p + strlen(FIELD_VALUES_PART), f->field.n - strlen(FIELD_VALUES_PART)};
    return str_cut(&rest, ']');
}

struct http_file *form_value_files(struct form_page *a) {
    struct http_file *list = form_files(a, true);
    for (struct http_file *f = list; f; f = f->next)
        f->field = STR_CAT(a->arena, S("field_values."), key_of_part(f));
    return list;
}

const struct json *form_value_uploaded(struct form_page *a, const struct json *uploaded) {
    struct json *values = json_new(a->arena, JSON_OBJECT);
    const struct json *one = uploaded && uploaded->type == JSON_ARRAY ? uploaded->first : uploaded;
    for (const struct http_file *f = form_files(a, true); f && one; f = f->next, one = one->next)
        form_add(a, values, str_dup(a->arena, key_of_part(f)).p, id_text(a, one));
    return values;
}

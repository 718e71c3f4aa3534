/* The actions of a rule: their check on save, and their rows. */
#include "core/rules/action.h"

#include "base/buf.h"
#include "base/limits.h"
#include "core/cases/macro.h"
#include "core/change/change.h"
#include "core/fields/field_value.h"
#include "core/people/tag.h"

#include <inttypes.h>

const struct word action_options[] = {{ACTION_CHANGE, "CHANGE"},     {ACTION_INCREASE, "INCREASE"},
                                      {ACTION_DECREASE, "DECREASE"}, {ACTION_ADD, "ADD"},
                                      {ACTION_REMOVE, "REMOVE"},     {ACTION_REPLACE, "REPLACE"},
                                      {ACTION_SEND, "SEND"},         {0}};

/* Finds the row of a name. *subject_id: the id that the name ends with. */
static const struct action_kind *action_kind_of(struct str name, int64_t *subject_id) {
    *subject_id = 0;
    for (const struct action_kind *k = action_kinds; k->name; k++) {
        struct str own = str_of(k->name);
        bool prefix = own.p[own.n - 1] == '_';
        if (!prefix && str_eqi(own, name)) return k;
        if (!prefix || name.n <= own.n || !str_eqi(own, (struct str){name.p, own.n})) continue;
        return str_to_int((struct str){name.p + own.n, name.n - own.n}, subject_id) && *subject_id > 0 ? k
                                                                                                       : NULL;
    }
    return NULL;
}

bool is_action_name(struct str name) {
    int64_t subject_id;
    return action_kind_of(name, &subject_id) != NULL;
}

static bool is_special(const struct action_kind *k, int64_t number) {
    int64_t special;
    for (const struct option *o = k->specials; o && o->key; o++)
        if (str_to_int(str_of(o->key), &special) && special == number) return true;
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads one action: of a request, with all problems reported, or of the store. */
struct action_reader {
    struct work *w;
    struct str parameter, at; /* at: pointer of the action */
    bool stored;
    const struct custom_field *fields; /* custom fields of conversations, for ACTION_FIELD of a request */
    const struct field_option *options;
    int field_count, option_count;
    int broken; /* an error of the store */
};

static void action_bad(struct action_reader *r, enum error code, const char *member, const char *why) {
    if (r->stored) return;
    fail_at(r->w, code, r->parameter, str_fmt(r->w->arena, "%s/%s", r->at.p, member), why ? "%s" : NULL, why);
}

static struct str action_scalar(const struct json *j) {
    bool plain = j && (j->type == JSON_STRING || j->type == JSON_NUMBER);
    return plain                        ? str_trim(j->text)
           : j && j->type == JSON_TRUE  ? S("true")
           : j && j->type == JSON_FALSE ? S("false")
                                        : (struct str){0};
}

/* The object that a value refers to must exist when a rule is saved. */
static void action_check_known(struct action_reader *r, const struct rule_action *a, int64_t id,
                               const char *member) {
    int64_t found;
    if (r->stored || a->kind->known == NULL || id <= 0) return;
    int rc = db_int(r->w->conn, a->kind->known, BINDS(B_INT("id", id)), &found);
    if (rc < 0 && !r->broken) r->broken = rc;
    if (rc == 0) action_bad(r, ERR_FIELD_INVALID, member, a->kind->unknown);
}

static void read_action_number(struct action_reader *r, struct rule_action *a, const struct json *j) {
    struct str s = action_scalar(j);
    bool stepwise = a->option == ACTION_INCREASE || a->option == ACTION_DECREASE;
    a->value = S("null");
    if (stepwise) return; /* the priority changes by one level; a value has no meaning */
    if (s.n == 0) {
        action_bad(r, ERR_FIELD_REQUIRED, "value", NULL);
        return;
    }
    if (!str_to_int(s, &a->number) || (a->number <= 0 && !is_special(a->kind, a->number)))
        action_bad(r, ERR_FIELD_INVALID, "value",
                   "An id, or one of the special values of the definition, is "
                   "expected.");
    else action_check_known(r, a, a->number, "value");
    a->value = str_fmt(r->w->arena, "%" PRId64, a->number);
}

static void add_action_tag(struct action_reader *r, struct rule_action *a, struct str name) {
    struct str key = tag_key(r->w->arena, name);
    if (key.p == NULL || a->tag_count == LIMIT_TAGS) {
        action_bad(r, ERR_FIELD_INVALID, "value",
                   key.p ? "Too many tags." : "A tag is a text without commas and control characters.");
        return;
    }
    for (int i = 0; i < a->tag_count; i++)
        if (str_eq(tag_key(r->w->arena, a->tags[i]), key)) return;
    a->tags[a->tag_count++] = str_dup(r->w->arena, str_trim(name));
}

static void read_action_tags(struct action_reader *r, struct rule_action *a, const struct json *j) {
    a->tags = arena_array(r->w->arena, LIMIT_TAGS + 1, sizeof *a->tags);
    if (j && j->type == JSON_ARRAY) {
        for (const struct json *item = j->first; item; item = item->next)
            add_action_tag(r, a, action_scalar(item));
    } else {
        for (struct str rest = action_scalar(j); rest.p && rest.n;) {
            struct str name = str_trim(str_cut(&rest, ','));
            if (name.n) add_action_tag(r, a, name);
        }
    }
    if (a->tag_count == 0 && a->option != ACTION_REPLACE)
        action_bad(r, ERR_FIELD_REQUIRED, "value", "Tags are expected.");
    a->value = json_texts(r->w->arena, a->tags, (size_t)a->tag_count);
}

static void read_action_true(struct action_reader *r, struct rule_action *a, const struct json *j) {
    struct str s = action_scalar(j);
    if (s.n && !str_eqi(s, S("true")) && !str_eq(s, S("1")))
        action_bad(r, ERR_FIELD_INVALID, "value", "Only true is possible.");
    a->value = S("true");
}

static struct str action_text_of(struct action_reader *r, const struct json *j, const char *member,
                                 bool required) {
    struct str s = j && j->type == JSON_STRING ? j->text : (struct str){0};
    const char *why = s.n ? text_wrong(r->w->arena, s, LIMIT_TEXT, false) : NULL;
    struct str unknown = macro_unknown_value(s),
               shown = utf8_without_cut_end((struct str){unknown.p, unknown.n > 64 ? 64 : unknown.n});
    if (required && str_trim(s).n == 0)
        action_bad(r, j && j->type == JSON_STRING ? ERR_FIELD_EMPTY : ERR_FIELD_REQUIRED, member, NULL);
    else if (why) action_bad(r, ERR_FIELD_INVALID, member, why);
    else if (unknown.p)
        action_bad(r, ERR_FIELD_INVALID, member,
                   str_fmt(r->w->arena, "{{%.*s}} is unknown. Possible are: " MACRO_VALUES ".", (int)shown.n,
                           shown.p)
                       .p);
    return s;
}

/* attributes: an object, or a list of {name, value} as replies show them. */
static const struct json *attribute_of(const struct json *attributes, struct str name) {
    if (attributes == NULL || attributes->type != JSON_ARRAY) return json_named(attributes, name);
    for (const struct json *j = attributes->first; j; j = j->next) {
        const struct json *own = json_named(j, S("name"));
        if (own && own->type == JSON_STRING && str_eqi(own->text, name)) return json_named(j, S("value"));
    }
    return NULL;
}

static void read_action_mail(struct action_reader *r, struct rule_action *a, const struct json *j,
                             const struct json *attributes) {
    read_action_number(r, a, j);
    a->subject = action_text_of(r, attribute_of(attributes, S("subject")), "attributes/subject", true);
    a->message = action_text_of(r, attribute_of(attributes, S("message")), "attributes/message", true);
    if (a->subject.n && (utf8_count(a->subject) > LIMIT_TITLE || memchr(a->subject.p, '\n', a->subject.n)))
        action_bad(r, ERR_FIELD_INVALID, "attributes/subject",
                   "A text of one line with at most 255 characters is expected.");
}

static void read_action_text(struct action_reader *r, struct rule_action *a, const struct json *j) {
    action_check_known(r, a, a->subject_id, "name");
    a->text = action_text_of(r, j, "value", false);
    a->value = j && j->type == JSON_STRING ? json_text(r->w->arena, j) : S("null");
}

/* A value as the API takes those of field_values: a text, or a list of options. */
static struct str field_text(struct arena *a, const struct json *j) {
    struct buf b = {0};
    if (j == NULL || j->type != JSON_ARRAY) return action_scalar(j);
    for (const struct json *item = j->first; item; item = item->next) {
        if (b.n) buf_char(&b, ',');
        buf_str(&b, action_scalar(item));
    }
    return buf_take(&b, a);
}

static const char *check_field_action(struct action_reader *r, const struct rule_action *a,
                                      const struct custom_field *f) {
    struct str value = {0};
    bool several = f->type == FIELD_CHECKBOX;
    if (f->type == FIELD_FILE) return "Rules can't set files.";
    if (a->option != ACTION_CHANGE && !several) return "ADD and REMOVE need a field with several options.";
    if (a->text.n == 0) return a->option == ACTION_CHANGE ? NULL : "Options are expected.";
    return field_value_read(r->w->arena, f, r->options, r->option_count, a->text, &value);
}

static void read_action_field(struct action_reader *r, struct rule_action *a, const struct json *j) {
    const char *why = a->kind->unknown;
    a->text = field_text(r->w->arena, j);
    a->value = a->text.n ? json_text(r->w->arena, json_string(r->w->arena, a->text)) : S("null");
    for (int i = 0; i < r->field_count && !r->stored; i++)
        if (r->fields[i].id == a->subject_id) why = check_field_action(r, a, &r->fields[i]);
    if (why && !r->stored) action_bad(r, ERR_FIELD_INVALID, why == a->kind->unknown ? "name" : "value", why);
}

static void read_action_value(struct action_reader *r, struct rule_action *a, const struct json *value,
                              const struct json *attributes) {
    switch (a->kind->form) {
    case ACTION_ID: read_action_number(r, a, value); break;
    case ACTION_TAGS: read_action_tags(r, a, value); break;
    case ACTION_TRUE: read_action_true(r, a, value); break;
    case ACTION_MAIL: read_action_mail(r, a, value, attributes); break;
    case ACTION_TEXT: read_action_text(r, a, value); break;
    case ACTION_FIELD: read_action_field(r, a, value); break;
    }
}

/* Returns the option, or the only one if none is given; 0: reported. */
static enum action_option read_action_option(struct action_reader *r, const struct action_kind *k,
                                             const struct json *j) {
    struct str s = action_scalar(j);
    int word = s.n ? word_id_any(action_options, s) : -1;
    if (s.n == 0)
        for (const struct word *o = action_options; o->word; o++)
            if (k->options == 1u << o->id) return (enum action_option)o->id;
    if (word > 0 && k->options & 1u << word) return (enum action_option)word;
    struct str list = S("");
    for (const struct word *o = action_options; o->word; o++)
        if (k->options & 1u << o->id)
            list = str_fmt(r->w->arena, "%s%s%s", list.p, list.n ? ", " : "", o->word);
    action_bad(r, s.n ? ERR_FIELD_INVALID : ERR_FIELD_REQUIRED, "option",
               str_fmt(r->w->arena, "One of these is expected: %s.", list.p).p);
    return 0;
}

static void read_action(struct action_reader *r, const struct json *j, struct rule_action *a) {
    struct str name = action_scalar(json_named(j, S("name")));
    *a = (struct rule_action){.value = S("null")};
    if (j->type != JSON_OBJECT) {
        fail_at(r->w, ERR_FIELD_INVALID, r->parameter, r->at,
                "An object of name, option and value is expected.");
        return;
    }
    a->kind = action_kind_of(name, &a->subject_id);
    if (name.n == 0) action_bad(r, ERR_FIELD_REQUIRED, "name", NULL);
    else if (a->kind == NULL)
        action_bad(r, ERR_FIELD_INVALID, "name",
                   "There is no such action. GET /triggers/actions/definitions lists "
                   "all.");
    if (a->kind == NULL) return;
    a->name = a->subject_id ? str_fmt(r->w->arena, "%s%" PRId64, a->kind->name, a->subject_id)
                            : str_of(a->kind->name);
    a->option = read_action_option(r, a->kind, json_named(j, S("option")));
    if (a->option) read_action_value(r, a, json_named(j, S("value")), json_named(j, S("attributes")));
}

/* ---- the check of a request ------------------------------------------------------------------ */

static int load_action_fields(struct action_reader *r) {
    struct custom_field *fields;
    struct field_option *options = NULL;
    int n = custom_fields_of(r->w, AREA_CASES, &fields), count = 0;
    TRY(n);
    int64_t *ids = arena_array(r->w->arena, (size_t)n + 1, sizeof *ids);
    for (int i = 0; i < n; i++)
        if (field_has_options(fields[i].type)) ids[count++] = fields[i].id;
    r->fields = fields;
    r->field_count = n;
    if (count) r->option_count = field_options_of(r->w, json_ids(r->w->arena, ids, (size_t)count), &options);
    r->options = options;
    return r->option_count < 0 ? r->option_count : 0;
}

static bool action_id_known(const struct rule_action *present, int count, int64_t id) {
    for (int i = 0; i < count; i++)
        if (present[i].id == id) return true;
    return false;
}

static void read_action_id(struct action_reader *r, const struct json *j, struct rule_action *made, int at,
                           const struct rule_action *present, int count) {
    struct str s = action_scalar(json_named(j, S("id")));
    int64_t id;
    if (s.n == 0) return;
    if (!str_to_int(s, &id) || !action_id_known(present, count, id))
        action_bad(r, ERR_FIELD_INVALID, "id",
                   "The rule has no action with this id. Send null for a new one.");
    else if (action_id_known(made, at, id))
        action_bad(r, ERR_FIELD_DUPLICATE, "id", "The id is given twice.");
    else made[at].id = id;
}

int rule_actions_check(struct work *w, enum rule_owner owner, int64_t owner_id, const struct json *list,
                       struct str name, struct rule_action **out) {
    struct action_reader r = {.w = w, .parameter = name};
    struct rule_action *present = NULL, *made;
    int before = w->problem_count, present_count = 0, n = 0;
    if (list->type != JSON_ARRAY)
        return fail_at(w, ERR_FIELD_INVALID, name, name, "A list of actions is expected.");
    if (list->count > LIMIT_ACTIONS)
        return fail_at(w, ERR_FIELD_INVALID, name, name, "At most %d actions are allowed.", LIMIT_ACTIONS);
    TRY(load_action_fields(&r));
    if (owner_id) present_count = rule_actions_read(w, owner, json_ids(w->arena, &owner_id, 1), &present);
    TRY(present_count);
    made = *out = arena_array(w->arena, list->count + 1, sizeof *made);
    for (const struct json *j = list->first; j; j = j->next, n++) {
        r.at = str_fmt(w->arena, "%s/%d", name.p, n);
        read_action(&r, j, &made[n]);
        read_action_id(&r, j, made, n, present, present_count);
    }
    if (r.broken) return r.broken;
    return w->problem_count > before ? -(int)failure(w) : n;
}

/* ---- the store ------------------------------------------------------------------------------- */

QUERY(actions_listed, "SELECT owner_id, id, name, option, value, attributes "
                      "FROM rule_actions WHERE owner = :owner AND owner_id IN @LIST(:ids) "
                      "ORDER BY owner_id, position, id");
QUERY(action_add, "INSERT INTO rule_actions (owner, owner_id, position, name, option, value, attributes) "
                  "VALUES (:owner, :owner_id, :position, :name, :option, :value, :attributes) "
                  "RETURNING id");
QUERY(action_set,
      "UPDATE rule_actions "
      "SET position = :position, name = :name, option = :option, value = :value, attributes = :attributes "
      "WHERE id = :id");
QUERY(actions_keep,
      "DELETE FROM rule_actions WHERE owner = :owner AND owner_id = :owner_id AND id NOT IN @LIST(:kept)");
QUERY(actions_drop, "DELETE FROM rule_actions WHERE owner = :owner AND owner_id IN @LIST(:ids)");

static const struct json *stored_json(struct arena *a, struct str text) {
    struct json *j;
    struct json_error err;
    return text.p && json_parse(a, text, &j, &err) == 0 ? j : NULL;
}

static void read_stored_action(struct work *w, struct stmt *row, struct rule_action *out) {
    struct action_reader r = {.w = w, .stored = true};
    struct rule_action a = {.owner_id = col_int(row, 0),
                            .id = col_int(row, 1),
                            .name = str_dup(w->arena, col_text(row, 2)),
                            .option = (enum action_option)col_int(row, 3)};
    const struct json *value = stored_json(w->arena, col_text(row, 4)),
                      *attributes = stored_json(w->arena, col_text(row, 5));
    a.kind = action_kind_of(a.name, &a.subject_id);
    if (a.kind) read_action_value(&r, &a, value, attributes);
    *out = a;
}

int rule_actions_read(struct work *w, enum rule_owner owner, struct str ids, struct rule_action **out) {
    struct rule_action *list = NULL;
    int rc, n = 0, room = 0;
    DB_ROWS(rc, w->conn, &actions_listed, BINDS(B_INT("owner", owner), B_TEXT("ids", ids)), row) {
        list = arena_more(w->arena, list, n, &room, sizeof *list);
        read_stored_action(w, row, &list[n]);
        if (list[n].kind) n++;
    }
    *out = list;
    return rc < 0 ? rc : n;
}

static struct str attributes_json(struct arena *a, const struct rule_action *action) {
    struct buf b = {0};
    struct json_writer w;
    if (action->kind->form != ACTION_MAIL) return (struct str){0};
    jw_init(&w, &b);
    jw_object(&w);
    jw_key(&w, S("subject"));
    jw_str(&w, action->subject);
    jw_key(&w, S("message"));
    jw_str(&w, action->message);
    jw_end(&w);
    return buf_take(&b, a);
}

static bool actions_eq(struct arena *a, const struct rule_action *x, const struct rule_action *y) {
    return str_eq(x->name, y->name) && x->option == y->option && str_eq(x->value, y->value) &&
           str_eq(attributes_json(a, x), attributes_json(a, y));
}

static bool action_lists_eq(struct arena *a, const struct rule_action *x, int n, const struct rule_action *y,
                            int m) {
    if (n != m) return false;
    for (int i = 0; i < n; i++)
        if (!actions_eq(a, &x[i], &y[i])) return false;
    return true;
}

static int put_action(struct work *w, enum rule_owner owner, int64_t owner_id, struct rule_action *a,
                      int position) {
    const struct bind *binds =
        BINDS(B_INT("id", a->id), B_INT("owner", owner), B_INT("owner_id", owner_id),
              B_INT("position", position), B_TEXT("name", a->name), B_INT("option", a->option),
              B_TEXT("value", a->value), B_TEXT("attributes", attributes_json(w->arena, a)));
    return a->id ? db_exec(w->conn, &action_set, binds) : db_insert(w->conn, &action_add, binds, &a->id);
}

int rule_actions_store(struct work *w, enum rule_owner owner, int64_t owner_id, struct rule_action *list,
                       int count, bool *changed) {
    struct rule_action *present;
    int64_t *kept = arena_array(w->arena, (size_t)count + 1, sizeof *kept);
    int n = rule_actions_read(w, owner, json_ids(w->arena, &owner_id, 1), &present);
    TRY(n);
    *changed = !action_lists_eq(w->arena, present, n, list, count);
    for (int i = 0; i < count; i++) {
        TRY(put_action(w, owner, owner_id, &list[i], i));
        kept[i] = list[i].id;
    }
    return db_exec(w->conn, &actions_keep,
                   BINDS(B_INT("owner", owner), B_INT("owner_id", owner_id),
                         B_TEXT("kept", json_ids(w->arena, kept, (size_t)count))));
}

int rule_actions_delete(struct work *w, enum rule_owner owner, struct str ids) {
    int rc = db_exec(w->conn, &actions_drop, BINDS(B_INT("owner", owner), B_TEXT("ids", ids)));
    return rc < 0 ? rc : 0;
}

int rule_action_gone(struct work *w, const struct rule_action *list, int count) {
    int64_t found;
    for (int i = 0; i < count; i++) {
        int64_t id = list[i].subject_id ? list[i].subject_id : list[i].number;
        if (list[i].kind->known == NULL || id <= 0) continue;
        int rc = db_int(w->conn, list[i].kind->known, BINDS(B_INT("id", id)), &found);
        if (rc < 0) return rc;
        if (rc == 0) return i;
    }
    return count;
}

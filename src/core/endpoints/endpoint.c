#include "core/endpoints/endpoint.h"

#include "base/fold.h"
#include "base/limits.h"
#include "core/desk/cascade.h"
#include "core/change/change.h"
#include "core/change/record.h"
#include "core/desk/setting.h"

#define OBJECT "endpoint"

const struct attribute endpoint_attributes[] = {
    {"address", ENDPOINT_EMAIL, ATTRIBUTE_EMAIL, .required = true},
    {"subject", ENDPOINT_EMAIL, ATTRIBUTE_LINE, .max = LIMIT_TITLE},
    {"webhook_url", ENDPOINT_SLACK, ATTRIBUTE_URL, .required = true},
    {"channel", ENDPOINT_SLACK, ATTRIBUTE_LINE, .max = 80},
    {"url", ENDPOINT_HTTP, ATTRIBUTE_URL, .required = true},
    {"method", ENDPOINT_HTTP, ATTRIBUTE_WORD, .words = endpoint_methods, .initial = ENDPOINT_POST},
    {"content_type", ENDPOINT_HTTP, ATTRIBUTE_WORD, .words = endpoint_contents, .initial = CONTENT_JSON},
    {"use_auth", ENDPOINT_HTTP, ATTRIBUTE_BOOL, .required = false},
    {"auth_username", ENDPOINT_HTTP, ATTRIBUTE_LINE, .max = LIMIT_TITLE},
    {"auth_password", ENDPOINT_HTTP, ATTRIBUTE_SECRET, .max = LIMIT_PASSWORD},
    {0},
};

/* ---- the values of a request ----------------------------------------------------------------- */

struct wanted {
    bool given;
    struct str text; /* p NULL: none */
    int64_t number;  /* words and booleans */
};

struct attributes {
    struct work *work;
    int64_t id;
    int type;
    struct wanted wanted[ENDPOINT_ATTRIBUTES]; /* parallel to endpoint_attributes */
    struct str now[ENDPOINT_ATTRIBUTES];       /* stored values; p NULL: none. Numbers in decimal */
};

static const struct attribute *endpoint_attribute_named(struct str name) {
    for (const struct attribute *a = endpoint_attributes; a->name; a++)
        if (name_eq(str_of(a->name), name)) return a;
    return NULL;
}

static void attribute_refuse(struct work *w, enum error code, const char *name, const char *why) {
    fail_at(w, code, S("attributes"), str_fmt(w->arena, "attributes/%s", name), "%s", why);
}

static const char *attribute_read_word(struct work *w, const struct attribute *a, struct str text,
                                       struct wanted *out) {
    out->number = text.n == 0 ? a->initial : word_id(a->words, text);
    return out->number > 0
               ? NULL
               : str_fmt(w->arena, "`%s` must be one of %s.", a->name, words_list(w->arena, a->words).p).p;
}

static const char *attribute_read_bool(struct work *w, const struct attribute *a, struct str text,
                                       struct wanted *out) {
    bool yes = str_eq(text, S("1")) || str_eqi(text, S("true"));
    out->number = yes;
    bool no = text.n == 0 || str_eq(text, S("0")) || str_eqi(text, S("false"));
    return yes || no ? NULL : str_fmt(w->arena, "`%s` must be true or false.", a->name).p;
}

/* Returns NULL, or a sentence that says why the value is invalid. text: a trimmed line of valid UTF-8. */
static const char *attribute_read(struct work *w, const struct attribute *a, struct str text,
                                  struct wanted *out) {
    out->text = text.n ? text : (struct str){0};
    switch (a->form) {
    case ATTRIBUTE_URL:
        return text.n ? endpoint_url_wrong(w->arena, text, setting_bool(w->desk, PRIVATE_ALLOWED)) : NULL;
    case ATTRIBUTE_EMAIL: return text.n == 0 || email_valid(text) ? NULL : "This is not an e-mail address.";
    case ATTRIBUTE_WORD: return attribute_read_word(w, a, text, out);
    case ATTRIBUTE_BOOL: return attribute_read_bool(w, a, text, out);
    case ATTRIBUTE_LINE:
    case ATTRIBUTE_SECRET: return text_wrong(w->arena, text, a->max, true);
    }
    return NULL;
}

static void attribute_take(struct attributes *s, const struct attribute *a, const struct json *j) {
    struct wanted *out = &s->wanted[a - endpoint_attributes];
    struct str text = json_scalar(j);
    if (text.p && a->form != ATTRIBUTE_SECRET) text = str_trim(text);
    out->text = text; /* an invalid value is not a missing one */
    const char *why = text.p == NULL ? "A single value is expected."
                                     : text_wrong(s->work->arena, text, LIMIT_ENDPOINT_URL, true);
    if (why == NULL) why = attribute_read(s->work, a, text, out);
    if (out->text.p == NULL && why) out->text = S("");
    /* an empty secret keeps the secret */
    out->given = a->form != ATTRIBUTE_SECRET || text.n > 0 || j->type == JSON_NULL;
    if (why) attribute_refuse(s->work, ERR_FIELD_INVALID, a->name, why);
}

static void attributes_take(struct attributes *s, const struct json *given) {
    struct work *w = s->work;
    for (const struct json *j = given ? given->first : NULL; j; j = j->next) {
        const struct attribute *a = endpoint_attribute_named(j->name);
        if (a && a->type == s->type) {
            attribute_take(s, a, j);
            continue;
        }
        struct str name = j->name.n <= LIMIT_TAG ? j->name : S("...");
        fail_at(w, ERR_FIELD_INVALID, S("attributes"),
                str_fmt(w->arena, "attributes/%.*s", (int)name.n, name.p),
                "Endpoints of type %s have no such attribute.", word_of(endpoint_types, s->type));
    }
}

/* ---- storing --------------------------------------------------------------------------------- */

QUERY(endpoint_now, "SELECT type, address, subject, webhook_url, channel, url, CAST(method AS TEXT), "
                    "CAST(content_type AS TEXT), CAST(use_auth AS TEXT), auth_username, auth_password "
                    "FROM endpoints WHERE id = :id @LOCK@");

static int attributes_load(struct attributes *s) {
    struct stmt *row;
    TRY_FOUND(s->work, db_row(s->work->conn, &endpoint_now, BINDS(B_INT("id", s->id)), &row));
    s->type = (int)col_int(row, 0);
    for (int i = 0; endpoint_attributes[i].name; i++)
        s->now[i] = str_dup(s->work->arena, col_text(row, i + 1));
    stmt_end(row);
    return 0;
}

static int attribute_index(const char *name) {
    return (int)(endpoint_attribute_named(str_of(name)) - endpoint_attributes);
}

static bool attribute_is_set(const struct attributes *s, int i) {
    return s->wanted[i].given ? s->wanted[i].text.p != NULL : s->now[i].p != NULL;
}

static void attributes_complete(struct attributes *s) {
    int auth = attribute_index("use_auth"), user = attribute_index("auth_username");
    for (int i = 0; endpoint_attributes[i].name; i++) {
        const struct attribute *a = &endpoint_attributes[i];
        if (a->type != s->type) continue;
        if (a->required && !attribute_is_set(s, i))
            attribute_refuse(s->work, ERR_FIELD_REQUIRED, a->name, "This attribute is required.");
        if (a->form == ATTRIBUTE_WORD && !s->wanted[i].given && s->now[i].p == NULL)
            s->wanted[i] = (struct wanted){true, {0}, a->initial};
    }
    bool uses = s->wanted[auth].given ? s->wanted[auth].number != 0 : str_eq(s->now[auth], S("1"));
    if (uses && !attribute_is_set(s, user))
        attribute_refuse(s->work, ERR_FIELD_REQUIRED, "auth_username", "use_auth needs a user name.");
    if (s->wanted[user].text.p && memchr(s->wanted[user].text.p, ':', s->wanted[user].text.n))
        attribute_refuse(s->work, ERR_FIELD_INVALID, "auth_username",
                         "A user name of HTTP Basic has no colon (RFC 7617).");
}

/* Otherwise a change of the url would send the password to another server. */
static void forget_password(struct attributes *s) {
    int url = attribute_index("url"), password = attribute_index("auth_password");
    if (!s->wanted[url].given || s->wanted[password].given || s->now[password].p == NULL ||
        str_eq(s->wanted[url].text, s->now[url]))
        return;
    s->wanted[password] = (struct wanted){.given = true};
    notice(s->work, "NOTICE",
           "auth_password was deleted, because url changed. Send it in the same request "
           "to keep it.");
}

static struct column attribute_column(struct work *w, const struct attribute *a, const struct wanted *v) {
    struct column c = {
        .name = a->name, .property = a->name, .value = {.name = str_fmt(w->arena, ":%s", a->name).p}};
    bool number = a->form == ATTRIBUTE_WORD || a->form == ATTRIBUTE_BOOL;
    struct str text = v->text;
    if (a->form == ATTRIBUTE_SECRET && text.p) text = seal_text(w->arena, &w->desk->endpoint_key, text);
    c.value.type = number ? BIND_INT : text.p ? BIND_TEXT : BIND_NULL;
    c.value.i = v->number;
    c.value.s = text;
    c.form = a->form == ATTRIBUTE_WORD ? COLUMN_WORD : a->form == ATTRIBUTE_BOOL ? COLUMN_BOOL : COLUMN_TEXT;
    c.words = a->words;
    /* its path is a secret of Slack */
    c.secret = a->form == ATTRIBUTE_SECRET || strcmp(a->name, "webhook_url") == 0;
    return c;
}

int endpoint_set_attributes(struct work *w, int64_t id, const struct json *given) {
    struct attributes s = {.work = w, .id = id};
    struct column columns[ENDPOINT_ATTRIBUTES];
    int n = 0;
    TRY(attributes_load(&s));
    attributes_take(&s, given);
    attributes_complete(&s);
    if (failed(w)) return -(int)failure(w);
    forget_password(&s);
    for (int i = 0; endpoint_attributes[i].name; i++)
        if (s.wanted[i].given) columns[n++] = attribute_column(w, &endpoint_attributes[i], &s.wanted[i]);
    return n ? record_update(w, (struct record){OBJECT, "endpoints", NULL}, &id, 1, columns, n) : 0;
}

/* ---- secrets and deletion -------------------------------------------------------------------- */

QUERY(endpoint_new_secret,
      "UPDATE endpoints SET former_secret = CASE WHEN CAST(:until AS BIGINT) > :now THEN secret END, "
      "former_secret_until = CASE WHEN secret IS NULL OR CAST(:until AS BIGINT) <= :now THEN NULL "
      "ELSE :until END, secret = :secret, updated_at = :now "
      "WHERE id = :id");

int endpoint_make_secret(struct work *w, int64_t id, int64_t former_ms, struct str *secret) {
    *secret = random_hex(w->arena, 32);
    change_named(w, (struct changed){OBJECT, id, 0}, "signing_secret");
    return db_exec(w->conn, &endpoint_new_secret,
                   BINDS(B_INT("id", id),
                         B_TEXT("secret", seal_text(w->arena, &w->desk->endpoint_key, *secret)),
                         B_INT("until", w->now + former_ms), B_INT("now", w->now)));
}

QUERY(endpoints_mark,
      "UPDATE endpoints SET deleted_at = :now, secret = NULL, former_secret = NULL, auth_password = NULL "
      "WHERE id IN @LIST(:ids)");

int endpoints_delete(struct work *w, struct str ids) {
    TRY(db_exec(w->conn, &endpoints_mark, BINDS(B_TEXT("ids", ids), B_INT("now", w->now))));
    TRY(changes_deleted(w, OBJECT, ids));
    return cascade(w, CASCADE_ENDPOINT, ids);
}

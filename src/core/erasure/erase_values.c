/* Present values are rows of the person. Former values are in the person's trail, the person's entries of
 * the change log, the person's mails, and names that a stranger gave. Present and former values are
 * treated alike.
 *
 * An address, a number or an account may have moved. If it counts for another person or an organization
 * now, its uses in texts mean the new owner, so it is skipped. An unverified address of another person
 * does not protect it, because anybody may claim any address. Addresses of the desk are skipped, because
 * every mail has them. A name has no owner, so a former name is searched for like the present one. */
#include "core/erasure/erase_values.h"

#include "base/phone.h"
#include "core/mail/mailbox.h"
#include "core/people/identity.h"
#include "json/json.h"

enum person_value_kind {
    VALUE_EMAIL = 1,
    VALUE_PHONE,
    VALUE_TWITTER,
    VALUE_FACEBOOK,
    VALUE_EXTERNAL,
    VALUE_NAME
};

/* The properties of people that have such values (core/change/object_diff.c). A list has its items with ", "
 * between them. */
static const struct value_property {
    const char *name;
    enum person_value_kind kind;
    bool list;
} value_properties[] = {
    {"emails", VALUE_EMAIL, true},
    {"phones", VALUE_PHONE, true},
    {"twitter", VALUE_TWITTER, true},
    {"facebook", VALUE_FACEBOOK, true},
    {"external_identifiers", VALUE_EXTERNAL, true},
    {"full_name", VALUE_NAME, false},
};
enum { VALUE_PROPERTIES = sizeof value_properties / sizeof *value_properties };

/* A value that the person has or had. The list is complete before statements look for its owners. */
struct person_value {
    enum person_value_kind kind;
    struct str text; /* for VALUE_EXTERNAL: "app: id" */
    struct person_value *next;
};

struct person_values {
    struct work *work;
    int64_t user_id;
    struct person_value *first;
};

static void value_found(struct person_values *v, enum person_value_kind kind, struct str text) {
    text = str_trim(text);
    if (text.n == 0) return;
    struct person_value *value = ARENA_NEW(v->work->arena, struct person_value);
    *value = (struct person_value){kind, str_dup(v->work->arena, text), v->first};
    v->first = value;
}

/* ---- present values -------------------------------------------------------------------------- */

QUERY(erasure_present, "SELECT 1, email FROM identity_emails WHERE user_id = :id "
                       "UNION ALL SELECT 1, email FROM identity_facebook "
                       "WHERE user_id = :id UNION ALL SELECT 2, number "
                       "FROM identity_phones WHERE user_id = :id "
                       "UNION ALL SELECT 2, number_key FROM identity_phones "
                       "WHERE user_id = :id UNION ALL SELECT 3, screen_name "
                       "FROM identity_twitter WHERE user_id = :id "
                       "UNION ALL SELECT 4, facebook_id FROM identity_facebook "
                       "WHERE user_id = :id UNION ALL SELECT 5, external_app || ': ' || external_id "
                       "FROM external_identifiers WHERE user_id = :id "
                       "UNION ALL SELECT 6, twitter_id FROM identity_twitter "
                       "WHERE user_id = :id UNION ALL SELECT 6, user_name "
                       "FROM identity_facebook WHERE user_id = :id "
                       "UNION ALL SELECT 6, full_name FROM users "
                       "WHERE id = :id AND purged_at IS NULL");

/* ---- former values --------------------------------------------------------------------------- */

/* Letters about messages, because others are also sent to addresses that the person only claims. */
QUERY(erasure_former, "SELECT DISTINCT 1, recipient FROM outgoing_mails "
                      "WHERE user_id = :id AND post_id IS NOT NULL "
                      "UNION ALL SELECT DISTINCT 1, address FROM mail_recipients "
                      "WHERE user_id = :id UNION ALL SELECT DISTINCT 1, from_key "
                      "FROM mails WHERE sender_id = :id UNION ALL "
                      "SELECT DISTINCT 6, requester_name FROM cases "
                      "WHERE requester_id = :id");
QUERY(erasure_trail,
      "SELECT fields, previous_values, current_values "
      "FROM activities WHERE owner_user_id = :id AND fields IS NOT NULL AND (previous_values IS NOT NULL "
      "OR current_values IS NOT NULL) ORDER BY id");
QUERY(erasure_logged,
      "SELECT property, old_value, new_value FROM change_log "
      "WHERE kind = 'user' AND object_id = :id AND property IS NOT NULL AND (old_value IS NOT NULL "
      "OR new_value IS NOT NULL) ORDER BY id");

static bool cut_end(struct str *s, struct str end) {
    if (s->n < end.n || memcmp(s->p + s->n - end.n, end.p, end.n) != 0) return false;
    s->n -= end.n;
    return true;
}

static struct str cut_item(struct str *rest) {
    const char *end = memmem(rest->p, rest->n, ", ", 2);
    struct str item = {rest->p, end ? (size_t)(end - rest->p) : rest->n};
    *rest = end ? (struct str){end + 2, rest->n - item.n - 2} : (struct str){0};
    cut_end(&item, S(" (not validated)"));
    cut_end(&item, S(" (primary)"));
    return item;
}

static void property_found(struct person_values *v, struct str property, struct str text) {
    for (int i = 0; text.p && i < VALUE_PROPERTIES; i++) {
        const struct value_property *p = &value_properties[i];
        if (!str_eq(property, str_of(p->name))) continue;
        if (!p->list) value_found(v, p->kind, text);
        for (struct str rest = text; p->list && rest.p;) value_found(v, p->kind, cut_item(&rest));
    }
}

/* fields, values: JSON arrays of the same length; values.p NULL: none. */
static void activity_found(struct person_values *v, struct str fields, struct str values) {
    struct json *names, *texts;
    struct json_error err;
    if (values.p == NULL || json_parse(v->work->arena, fields, &names, &err) < 0) return;
    if (json_parse(v->work->arena, values, &texts, &err) < 0) return;
    const struct json *text = texts->first;
    for (const struct json *name = names->first; name && text; name = name->next, text = text->next)
        if (text->type == JSON_STRING) property_found(v, name->text, text->text);
}

static int values_find(struct person_values *v) {
    const struct bind *binds = BINDS(B_INT("id", v->user_id));
    static const struct query *const rows[] = {&erasure_present, &erasure_former};
    int rc;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        DB_ROWS(rc, v->work->conn, rows[i], binds, row)
        value_found(v, (enum person_value_kind)col_int(row, 0), col_text(row, 1));
        TRY(rc);
    }
    DB_ROWS(rc, v->work->conn, &erasure_logged, binds, row)
    for (int i = 1; i < 3; i++) property_found(v, col_text(row, 0), col_text(row, i));
    TRY(rc);
    DB_ROWS(rc, v->work->conn, &erasure_trail, binds, row)
    for (int i = 1; i < 3; i++) activity_found(v, col_text(row, 0), col_text(row, i));
    return rc;
}

/* ---- what is looked for ---------------------------------------------------------------------- */

QUERY(erasure_external_owner,
      "SELECT user_id FROM external_identifiers WHERE external_app = :app AND external_id = :external");
/* A number that the person has now is looked for, even if the person's organization has it, too. */
QUERY(erasure_organization_phone,
      "SELECT 1 FROM identity_phones o "
      "WHERE o.number_key = :key AND o.organization_id IS NOT NULL AND NOT EXISTS (SELECT 1 "
      "FROM identity_phones p WHERE p.number_key = :key AND p.user_id = :id) "
      "LIMIT 1");
/* Shorter texts are left out, because they would be found in texts that have nothing to do with the
 * person. */
QUERY(erasure_value_add, "INSERT INTO erasure_values (user_id, value) "
                         "SELECT CAST(:id AS BIGINT), LOWER(CAST(:value AS TEXT)) "
                         "WHERE LENGTH(CAST(:value AS TEXT)) >= 5 "
                         "ON CONFLICT (user_id, value) DO NOTHING");

static int look_for(struct person_values *v, struct str text) {
    return db_exec(v->work->conn, &erasure_value_add, BINDS(B_INT("id", v->user_id), B_TEXT("value", text)));
}

/* A name counts only as a whole value: in quotation marks, also as it is written in JSON. */
static int look_for_whole(struct person_values *v, struct str text) {
    struct arena *a = v->work->arena;
    struct str json = json_texts(a, &text, 1);
    TRY(look_for(v, STR_CAT(a, S("\""), text, S("\""))));
    return look_for(v, (struct str){json.p + 1, json.n - 2});
}

/* Returns 1 if the value counts for another person, 0, or a negative error. */
static int moved(struct person_values *v, enum identity_kind kind, struct str text) {
    int64_t owner = 0;
    int found = identity_owner(v->work, kind, text, &owner);
    return found > 0 ? owner != v->user_id : found;
}

static int look_for_email(struct person_values *v, struct str text) {
    struct str key = identity_key(v->work, IDENTITY_EMAIL, text);
    int other = moved(v, IDENTITY_EMAIL, text);
    if (other == 0) other = mailbox_owns(v->work, text);
    if (other) return other < 0 ? other : 0;
    TRY(look_for(v, text));
    return key.p ? look_for(v, key) : 0;
}

#define DIGITS_LEAST 7 /* fewer digits would be found in texts without the number */
#define DIGITS_NATIONAL 9

/* The digits by which a number is found, however it is written: without the country code or leading zeros
 * if enough are left. */
static struct str phone_digits_sought(struct arena *a, struct str number) {
    char national[PHONE_SIZE], *digits = arena_alloc(a, number.n + 1);
    size_t n = 0, zeros = 0;
    if (number.n && number.p[0] == '+' && phone_national(number.p, national) == 1 &&
        strlen(national) >= DIGITS_NATIONAL)
        return str_dup(a, str_of(national));
    for (size_t i = 0; i < number.n; i++)
        if (number.p[i] >= '0' && number.p[i] <= '9') digits[n++] = number.p[i];
    while (zeros < n && digits[zeros] == '0') zeros++;
    return n - zeros >= DIGITS_NATIONAL ? (struct str){digits + zeros, n - zeros} : (struct str){digits, n};
}

static int look_for_phone(struct person_values *v, struct str text) {
    struct str key = phone_key(v->work, text),
               digits = phone_digits_sought(v->work->arena, key.p ? key : text);
    int64_t one;
    int other = moved(v, IDENTITY_PHONE, text);
    if (other == 0 && key.p)
        other = db_int(v->work->conn, &erasure_organization_phone,
                       BINDS(B_TEXT("key", key), B_INT("id", v->user_id)), &one);
    if (other) return other < 0 ? other : 0;
    TRY(look_for(v, text));
    return digits.n >= DIGITS_LEAST ? look_for(v, STR_CAT(v->work->arena, S(ERASURE_DIGITS), digits)) : 0;
}

static int look_for_account(struct person_values *v, enum identity_kind kind, struct str text) {
    int other = moved(v, kind, text);
    if (other) return other < 0 ? other : 0;
    return look_for_whole(v, text);
}

/* text: "app: id" */
static int look_for_external(struct person_values *v, struct str text) {
    int64_t owner;
    const char *end = memmem(text.p, text.n, ": ", 2);
    if (end == NULL) return 0;
    struct str app = {text.p, (size_t)(end - text.p)}, id = {end + 2, text.n - app.n - 2};
    int found = db_int(v->work->conn, &erasure_external_owner,
                       BINDS(B_TEXT("app", app), B_TEXT("external", id)), &owner);
    if (found < 0 || (found > 0 && owner != v->user_id)) return found < 0 ? found : 0;
    return look_for_whole(v, id);
}

static int look_for_value(struct person_values *v, const struct person_value *value) {
    switch (value->kind) {
    case VALUE_EMAIL: return look_for_email(v, value->text);
    case VALUE_PHONE: return look_for_phone(v, value->text);
    case VALUE_TWITTER: return look_for_account(v, IDENTITY_TWITTER, value->text);
    case VALUE_FACEBOOK: return look_for_account(v, IDENTITY_FACEBOOK, value->text);
    case VALUE_EXTERNAL: return look_for_external(v, value->text);
    default: return look_for_whole(v, value->text);
    }
}

/* Mails from former addresses that found no sender, such as suspended ones: a purge sees those from
 * present ones only. */
QUERY(erasure_claim_mails,
      "UPDATE mails SET sender_id = :id "
      "WHERE sender_id IS NULL AND from_key IN (SELECT e.value FROM erasure_values e WHERE e.user_id = :id)");

int erasure_values_gather(struct work *w, int64_t user_id) {
    struct person_values v = {.work = w, .user_id = user_id};
    TRY(values_find(&v));
    for (const struct person_value *value = v.first; value; value = value->next)
        TRY(look_for_value(&v, value));
    return db_exec(w->conn, &erasure_claim_mails, BINDS(B_INT("id", user_id)));
}

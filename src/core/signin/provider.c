#include "core/signin/provider.h"

#include "base/address.h"
#include "base/fold.h"
#include "core/endpoints/endpoint.h"
#include "core/signin/url.h"

QUERY(provider_by_id,
      "SELECT id, role_id, name, issuer, client_id, client_secret, scopes, email_domains, rules, "
      "end_session_url, highest_role, is_enabled, is_for_staff, is_for_customers, creates_people, "
      "updates_people, counts_as_two_factors FROM signin_providers WHERE id = :id");
QUERY(provider_logout_set, "UPDATE signin_providers SET end_session_url = :url "
                           "WHERE id = :id AND COALESCE(end_session_url, '') <> COALESCE(:url, '')");
QUERY(customer_buttons, "SELECT id, COALESCE(button_label, name) FROM signin_providers "
                        "WHERE is_enabled = 1 AND is_for_customers = 1 ORDER BY id");

static struct str column_dup(struct work *w, struct stmt *row, int column) {
    return col_null(row, column) ? (struct str){0} : str_dup(w->arena, col_text(row, column));
}

int provider_load(struct work *w, int64_t id, struct provider *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &provider_by_id, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    struct str sealed = column_dup(w, row, 5);
    *out = (struct provider){.id = col_int(row, 0),
                             .role_id = col_int(row, 1),
                             .name = column_dup(w, row, 2),
                             .issuer = column_dup(w, row, 3),
                             .client_id = column_dup(w, row, 4),
                             .scopes = column_dup(w, row, 6),
                             .domains = column_dup(w, row, 7),
                             .rules = column_dup(w, row, 8),
                             .end_session_url = column_dup(w, row, 9),
                             .highest_role = (int)col_int(row, 10),
                             .is_enabled = col_int(row, 11) != 0,
                             .is_for_staff = col_int(row, 12) != 0,
                             .is_for_customers = col_int(row, 13) != 0,
                             .creates_people = col_int(row, 14) != 0,
                             .updates_people = col_int(row, 15) != 0,
                             .counts_as_two_factors = col_int(row, 16) != 0};
    stmt_end(row);
    if (sealed.n) out->secret = seal_text_open(w->arena, &w->desk->setting_key, sealed);
    return 1;
}

int provider_says_logout(struct work *w, const struct provider *p, struct str url) {
    return db_exec(w->conn, &provider_logout_set, BINDS(B_INT("id", p->id), B_TEXT("url", url)));
}

int signin_buttons_of_customers(struct work *w, struct signin_button **out) {
    int n = 0, room = 0, rc;
    struct signin_button *list = NULL;
    DB_ROWS(rc, w->conn, &customer_buttons, NULL, row) {
        list = arena_more(w->arena, list, n, &room, sizeof *list);
        list[n++] = (struct signin_button){col_int(row, 0), column_dup(w, row, 1)};
    }
    *out = list;
    return rc < 0 ? rc : n;
}

struct str provider_secret_seal(const struct desk *d, struct arena *a, struct str secret) {
    return secret.n ? seal_text(a, &d->setting_key, secret) : (struct str){0};
}

/* ---- addresses ------------------------------------------------------------------------------- */

bool signin_url_allowed(struct str url, bool private_allowed) {
    return str_starts(url, S("https://")) || (private_allowed && str_starts(url, S("http://")));
}

const char *issuer_wrong(struct arena *a, struct str issuer, bool private_allowed) {
    if (!signin_url_allowed(issuer, private_allowed))
        return "The issuer must begin with https://, as in the discovery document of the provider.";
    if (memchr(issuer.p, '?', issuer.n)) return "An issuer has no query.";
    if (!private_allowed && host_is_private(url_host_part(a, issuer)))
        return "The issuer is an address of this machine or of a private network. An owner can allow such "
               "addresses by the setting signin.allow_private_addresses.";
    return endpoint_url_wrong(a, issuer, private_allowed);
}

bool provider_admits_address(const struct provider *p, struct arena *a, struct str address) {
    struct str rest = p->domains, key = email_key(a, address);
    const char *at = key.n ? memrchr(key.p, '@', key.n) : NULL;
    if (at == NULL) return false;
    struct str domain = {at + 1, key.n - (size_t)(at + 1 - key.p)};
    if (str_trim(rest).n == 0) return true;
    while (rest.p) {
        struct str listed = str_trim(str_cut(&rest, ' '));
        struct str as_key = listed.n ? email_key(a, STR_CAT(a, S("a@"), listed)) : listed;
        if (as_key.n > 2 && str_eq((struct str){as_key.p + 2, as_key.n - 2}, domain)) return true;
    }
    return false;
}

/* ---- rules ----------------------------------------------------------------------------------- */

const struct json *claims_named(const struct claims *c, struct str name) {
    const struct json *found = json_member(c->token, name);
    return found || c->userinfo == NULL ? found : json_member(c->userinfo, name);
}

static bool claim_is(const struct json *j, struct str value) {
    bool scalar = j->type != JSON_ARRAY && j->type != JSON_OBJECT && j->type != JSON_NULL;
    struct str text = j->type == JSON_TRUE ? S("true") : j->type == JSON_FALSE ? S("false") : json_scalar(j);
    return scalar && str_eq(text, value);
}

/* The claim is the value, or a list that has it. */
static bool rule_matches(const struct json *rule, const struct claims *c) {
    const struct json *name = json_member(rule, S("claim")), *value = json_member(rule, S("value"));
    const struct json *claim = name && value ? claims_named(c, name->text) : NULL;
    if (claim == NULL) return false;
    if (claim->type != JSON_ARRAY) return claim_is(claim, value->text);
    for (const struct json *j = claim->first; j; j = j->next)
        if (claim_is(j, value->text)) return true;
    return false;
}

static int64_t json_id(const struct json *j) {
    int64_t id;
    return j && j->type == JSON_NUMBER && str_to_int(j->text, &id) ? id : 0;
}

int provider_map(struct work *w, const struct provider *p, const struct claims *c, struct mapped *out) {
    struct json *rules;
    struct json_error err;
    int room = 0, other_room = 0;
    *out = (struct mapped){0};
    if (json_parse(w->arena, p->rules, &rules, &err) < 0) return 0;
    for (const struct json *rule = rules->first; rule; rule = rule->next) {
        bool matches = rule_matches(rule, c);
        const struct json *teams = json_member(rule, S("team_ids"));
        if (matches && out->role_id == 0) out->role_id = json_id(json_member(rule, S("role_id")));
        for (const struct json *t = teams ? teams->first : NULL; t; t = t->next) {
            int64_t **list = matches ? &out->team_ids : &out->other_team_ids;
            int *n = matches ? &out->team_count : &out->other_count, *size = matches ? &room : &other_room;
            *list = arena_more(w->arena, *list, *n, size, sizeof **list);
            (*list)[(*n)++] = json_id(t);
        }
    }
    return 0;
}

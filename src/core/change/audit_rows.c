/* The typed changes that are entries of the audit log. The changes of one object and one action that follow
 * each other are one entry. */
#include "core/change/audit.h"

#include "base/buf.h"
#include "core/change/change.h"
#include "json/json.h"

#define VALUE_MAX 1000 /* bytes of a value in an entry; a setting may have 64 KB */

/* A kind: its name, or ANY. A property: its name, ANY, or DOTTED for names with a dot: the permissions of
 * a role. If several rows match, the first one counts. */
static const char ANY[] = "*", DOTTED[] = ".";

static const struct audit_row {
    const char *kind;
    enum change_verb verb;
    const char *property; /* CHANGE_UPDATED */
    enum audit_action action;
} audit_rows[] = {
    {"user", CHANGE_UPDATED, "password", AUDIT_PASSWORD_CHANGED},
    {"user", CHANGE_UPDATED, "is_mfa_enabled", AUDIT_SECOND_FACTOR_CHANGED},
    {"user", CHANGE_UPDATED, "role", AUDIT_USER_ROLE_CHANGED},
    {"user", CHANGE_UPDATED, "agent_case_access", AUDIT_USER_ACCESS_CHANGED},
    {"user", CHANGE_UPDATED, "organization_case_access", AUDIT_USER_ACCESS_CHANGED},
    {"user", CHANGE_UPDATED, "teams", AUDIT_USER_ACCESS_CHANGED},
    {"user", CHANGE_UPDATED, "is_enabled", AUDIT_USER_ENABLED_CHANGED},
    {"user", CHANGE_UPDATED, "emails", AUDIT_USER_IDENTITIES_CHANGED},
    {"user", CHANGE_UPDATED, "phones", AUDIT_USER_IDENTITIES_CHANGED},
    {"user", CHANGE_UPDATED, "twitter", AUDIT_USER_IDENTITIES_CHANGED},
    {"user", CHANGE_UPDATED, "facebook", AUDIT_USER_IDENTITIES_CHANGED},
    {"user", CHANGE_DELETED, NULL, AUDIT_USER_DELETED},
    {"organization", CHANGE_DELETED, NULL, AUDIT_ORGANIZATION_DELETED},
    {"case", CHANGE_DELETED, NULL, AUDIT_CASE_DELETED},
    {"team", CHANGE_DELETED, NULL, AUDIT_TEAM_DELETED},
    {"role", CHANGE_CREATED, NULL, AUDIT_ROLE_CREATED},
    {"role", CHANGE_DELETED, NULL, AUDIT_ROLE_DELETED},
    {"role", CHANGE_UPDATED, DOTTED, AUDIT_PERMISSIONS_CHANGED},
    {"role", CHANGE_UPDATED, ANY, AUDIT_ROLE_CHANGED},
    {"setting", CHANGE_UPDATED, ANY, AUDIT_SETTING_CHANGED},
    {"api_token", CHANGE_CREATED, NULL, AUDIT_API_TOKEN_CREATED},
    {"api_token", CHANGE_DELETED, NULL, AUDIT_API_TOKEN_DELETED},
    {"api_token", CHANGE_UPDATED, ANY, AUDIT_API_TOKEN_CHANGED},
    {"token", CHANGE_CREATED, NULL, AUDIT_EVENT_TOKEN_CREATED},
    {"token", CHANGE_DELETED, NULL, AUDIT_EVENT_TOKEN_DELETED},
    {"token", CHANGE_UPDATED, ANY, AUDIT_EVENT_TOKEN_CHANGED},
    {"oauth_client", CHANGE_CREATED, NULL, AUDIT_CLIENT_CREATED},
    {"oauth_client", CHANGE_DELETED, NULL, AUDIT_CLIENT_DELETED},
    {"oauth_client", CHANGE_UPDATED, "secret", AUDIT_CLIENT_SECRET_CHANGED},
    {"oauth_client", CHANGE_UPDATED, ANY, AUDIT_CLIENT_CHANGED},
    {"oauth_grant", CHANGE_CREATED, NULL, AUDIT_GRANT_CREATED},
    {"oauth_grant", CHANGE_DELETED, NULL, AUDIT_GRANT_DELETED},
    {"oauth_grant", CHANGE_UPDATED, ANY, AUDIT_GRANT_CHANGED},
    {"endpoint", CHANGE_CREATED, NULL, AUDIT_ENDPOINT_CREATED},
    {"endpoint", CHANGE_DELETED, NULL, AUDIT_ENDPOINT_DELETED},
    {"endpoint", CHANGE_UPDATED, "signing_secret", AUDIT_ENDPOINT_SECRET_CHANGED},
    {"endpoint", CHANGE_UPDATED, ANY, AUDIT_ENDPOINT_CHANGED},
    {"mailbox", CHANGE_CREATED, NULL, AUDIT_MAILBOX_CREATED},
    {"mailbox", CHANGE_DELETED, NULL, AUDIT_MAILBOX_DELETED},
    {"mailbox", CHANGE_UPDATED, "imap_password", AUDIT_MAILBOX_PASSWORD_CHANGED},
    {"mailbox", CHANGE_UPDATED, "smtp_password", AUDIT_MAILBOX_PASSWORD_CHANGED},
    {"mailbox", CHANGE_UPDATED, "oauth_client_secret", AUDIT_MAILBOX_PASSWORD_CHANGED},
    {"mailbox", CHANGE_UPDATED, ANY, AUDIT_MAILBOX_CHANGED},
    {"brand", CHANGE_CREATED, NULL, AUDIT_BRAND_CREATED},
    {"brand", CHANGE_UPDATED, "domain", AUDIT_BRAND_DOMAIN_CHANGED},
    {"brand", CHANGE_UPDATED, "is_domain_trusted", AUDIT_BRAND_DOMAIN_CHANGED},
    {"brand", CHANGE_UPDATED, "widget_origins", AUDIT_BRAND_WIDGET_CHANGED},
    {"brand", CHANGE_UPDATED, "widget_anonymous", AUDIT_BRAND_WIDGET_CHANGED},
    {"brand", CHANGE_UPDATED, "widget_secret", AUDIT_BRAND_WIDGET_CHANGED},
    {"tag", CHANGE_UPDATED, ANY, AUDIT_TAG_CHANGED},
    {"signin_provider", CHANGE_CREATED, NULL, AUDIT_PROVIDER_CREATED},
    {"signin_provider", CHANGE_DELETED, NULL, AUDIT_PROVIDER_DELETED},
    {"signin_provider", CHANGE_UPDATED, "client_secret", AUDIT_PROVIDER_SECRET_CHANGED},
    {"signin_provider", CHANGE_UPDATED, ANY, AUDIT_PROVIDER_CHANGED},
    {ANY, CHANGE_DELETED, NULL, AUDIT_OBJECT_DELETED},
};
enum { AUDIT_ROWS = sizeof audit_rows / sizeof *audit_rows };

/* The name of a new or changed object, which the log shows after its deletion, too. People are shown by
 * reference. */
QUERY(audit_role_name, "SELECT title FROM roles WHERE id = :id");
QUERY(audit_api_token_name, "SELECT name FROM api_tokens WHERE id = :id");
QUERY(audit_event_token_name, "SELECT label FROM event_tokens WHERE id = :id");
QUERY(audit_client_name, "SELECT name FROM oauth_clients WHERE id = :id");
QUERY(audit_grant_name,
      "SELECT c.name FROM oauth_grants g JOIN oauth_clients c ON c.id = g.client_id WHERE g.id = :id");
QUERY(audit_endpoint_name, "SELECT title FROM endpoints WHERE id = :id");
QUERY(audit_mailbox_name, "SELECT address FROM mailboxes WHERE id = :id");
QUERY(audit_provider_name, "SELECT name FROM signin_providers WHERE id = :id");
QUERY(audit_brand_name, "SELECT name FROM brands WHERE id = :id");

static const struct audit_name {
    const char *kind;
    const struct query *query;
} audit_names[] = {
    {"role", &audit_role_name},
    {"api_token", &audit_api_token_name},
    {"token", &audit_event_token_name},
    {"oauth_client", &audit_client_name},
    {"oauth_grant", &audit_grant_name},
    {"endpoint", &audit_endpoint_name},
    {"mailbox", &audit_mailbox_name},
    {"brand", &audit_brand_name},
    {"signin_provider", &audit_provider_name},
};

static bool property_matches(const char *wanted, const char *property) {
    if (wanted == ANY) return true;
    return wanted == DOTTED ? strchr(property, '.') != NULL : strcmp(wanted, property) == 0;
}

/* Returns 0 if the change is not audited. */
static enum audit_action audit_action_of(const struct change *c) {
    for (const struct audit_row *r = audit_rows; r < audit_rows + AUDIT_ROWS; r++) {
        if (r->verb != c->verb || (r->kind != ANY && strcmp(r->kind, c->kind) != 0)) continue;
        if (r->verb != CHANGE_UPDATED || property_matches(r->property, c->property)) return r->action;
    }
    return 0;
}

/* ---- details --------------------------------------------------------------------------------- */

static void write_changed_value(struct json_writer *j, struct arena *a, const char *name,
                                const struct changed_value *v) {
    struct str text = v->shown.p ? v->shown : changed_value_text(a, v);
    if (text.n > VALUE_MAX) text = utf8_without_cut_end((struct str){text.p, VALUE_MAX});
    jw_key(j, str_of(name));
    jw_str(j, text);
}

/* {property, from, to}; of a secret {property}. A reference to a person or a role is shown by its name of
 * now. */
static void write_change(struct json_writer *j, struct arena *a, const struct change *c) {
    jw_object(j);
    jw_key(j, S("property"));
    jw_str(j, str_of(c->property));
    if (!c->named) {
        write_changed_value(j, a, "from", &c->from);
        write_changed_value(j, a, "to", &c->to);
    }
    jw_end(j);
}

/* The row of a deleted object is gone; the entry of its creation has the name. */
static int write_name(struct work *w, struct json_writer *j, const struct change *c) {
    struct str name = {0};
    if (c->verb == CHANGE_DELETED) return 0;
    for (size_t i = 0; i < sizeof audit_names / sizeof *audit_names; i++)
        if (strcmp(audit_names[i].kind, c->kind) == 0)
            TRY(db_text(w->conn, audit_names[i].query, BINDS(B_INT("id", c->id)), w->arena, &name));
    if (name.p == NULL) return 0;
    jw_key(j, S("name"));
    jw_str(j, name);
    return 0;
}

/* The details of the changes from `first` to before `end`. */
static int write_details(struct work *w, const struct change *first, const struct change *end,
                         struct buf *out) {
    struct json_writer j;
    jw_init(&j, out);
    jw_object(&j);
    TRY(write_name(w, &j, first));
    if (first->verb == CHANGE_UPDATED) {
        jw_key(&j, S("changes"));
        jw_array(&j);
        for (const struct change *c = first; c != end; c = c->next) write_change(&j, w->arena, c);
        jw_end(&j);
    }
    jw_end(&j);
    return 0;
}

/* ---- the finisher ---------------------------------------------------------------------------- */

static bool in_one_entry(const struct change *a, enum audit_action action, const struct change *b) {
    return a->id == b->id && a->by == b->by && a->verb == b->verb && strcmp(a->kind, b->kind) == 0 &&
           audit_action_of(b) == action;
}

static int add_changes(struct work *w, enum audit_action action, const struct change *first,
                       const struct change *end) {
    struct buf details = {0};
    int rc = write_details(w, first, end, &details);
    if (rc >= 0)
        rc = audit_add(w, &(struct audit_entry){.action = action,
                                                .object_type = first->kind,
                                                .object_id = first->id,
                                                .details = buf_view(&details),
                                                .by = first->by});
    buf_free(&details);
    return rc;
}

int audit_finish(struct work *w) {
    for (const struct change *c = changes_of(w), *end; c; c = end) {
        enum audit_action action = audit_action_of(c);
        for (end = c->next; action && end && in_one_entry(c, action, end);) end = end->next;
        if (action) TRY(add_changes(w, action, c, end));
    }
    return 0;
}

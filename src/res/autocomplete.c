#include "core/people/lookup.h"

#include "api/rows/generic.h"
#include "core/words.h"

/* ---- what is asked --------------------------------------------------------------------------- */

/* Numbers are ids. Other texts are names. */
static void leave_out(struct call *c, struct lookup *l) {
    struct arena *a = c->work.arena;
    const struct json *list = arg(c, "exclude")->given ? arg(c, "exclude")->json : NULL;
    struct str *names = arena_array(a, (list ? list->count : 0) + 1, sizeof *names);
    int64_t *ids = arena_array(a, (list ? list->count : 0) + 1, sizeof *ids), id;
    size_t id_count = 0, name_count = 0;
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        if (str_to_int(j->text, &id)) ids[id_count++] = id;
        else if (j->text.p) names[name_count++] = lookup_key(a, l->kind, j->text);
    }
    l->ids = json_ids(a, ids, id_count);
    l->names = json_texts(a, names, name_count);
}

static int look_up(struct call *c, enum lookup_kind kind, const char *text) {
    TRY(api_input(c));
    struct lookup l = {.kind = kind, .text = arg(c, text)->value.s, .limit = c->options.limit};
    leave_out(c, &l);
    if (kind == LOOKUP_USERS && (arg(c, "in")->given || arg(c, "filter")->given)) {
        const struct in *roles = arg(c, arg(c, "in")->given ? "in" : "filter");
        l.roles = json_ids(c->work.arena, roles->value.ids, (size_t)roles->value.i);
    }
    TRY(lookup_run(&c->work, &l));
    if (l.more) notice(&c->work, "NOTICE", "Many names match: total_count is a lower bound.");
    return api_reply_some_of(c, l.found, l.count, l.total);
}

static int get_autocomplete_emails(struct call *c) { return look_up(c, LOOKUP_EMAILS, "address"); }
static int get_autocomplete_tags(struct call *c) { return look_up(c, LOOKUP_TAGS, "name"); }
static int get_autocomplete_organizations(struct call *c) { return look_up(c, LOOKUP_ORGANIZATIONS, "name"); }
static int get_autocomplete_users(struct call *c) { return look_up(c, LOOKUP_USERS, "name"); }

/* ---- the tables ------------------------------------------------------------------------------ */

#define EXCLUDE \
    { "exclude", F_TEXTS, .doc = "Ids or names to leave out.", .example = "[\"Ada Byron\"]" }

static const struct field email_args[] = {
    {"address", F_TEXT, NULLABLE,
     .doc = "Beginning of the address, or of the name of the person who has it."},
    EXCLUDE,
    {0},
};
static const struct field name_args[] = {
    {"name", F_TEXT, NULLABLE, .doc = "Beginning of the name, or of a word in it."},
    EXCLUDE,
    {0},
};
static const struct word kinds_of_people[] = {
    {ROLE_OWNER, "OWNERS"},       {ROLE_ADMIN, "ADMINS"},
    {ROLE_AGENT, "AGENTS"},       {ROLE_COLLABORATOR, "COLLABORATORS"},
    {ROLE_CUSTOMER, "CUSTOMERS"}, {0}};
static const struct field user_args[] = {
    {"name", F_TEXT, NULLABLE, .doc = "Beginning of the name, or of a word in it."},
    {"in", F_WORDS, .words = kinds_of_people, .doc = "Only people with these roles."},
    {"filter", F_WORDS, .words = kinds_of_people, .doc = "The same as `in`, as clients for rules send it."},
    EXCLUDE,
    {0},
};

static const struct field match_fields[] = {
    {"identity", F_REF, READONLY, .column = "t.id", .ref = "identity_email", .doc = "The address."},
    {"parent", F_REF, READONLY, .column = "t.user_id", .ref = "user", .doc = "Person who has the address."},
    {0},
};

#define FOUND                                                                                           \
    .chosen = true, .doc = "Names that begin with the text come first. total_count counts at most 500 " \
                           "matches; if there are more, a notice says so. limit is the number of "      \
                           "matches shown; the default is ten."

static const struct route autocomplete_routes[] = {
    {GET, "/autocomplete/emails", COL_PLUS, "", LIST_COUNT, get_autocomplete_emails, .bearer = "users",
     .args = email_args, .summary = "Complete an e-mail address", FOUND},
    {GET, "/autocomplete/tags", COL_PLUS, "", LIST_COUNT, get_autocomplete_tags, .bearer = BEARER_ANY,
     .args = name_args, .reply = "tag", .summary = "Complete a tag", FOUND},
    {GET, "/autocomplete/organizations", COL_PLUS, "", LIST_COUNT, get_autocomplete_organizations,
     .bearer = "users", .args = name_args, .reply = "organization",
     .summary = "Complete the name of an organization", FOUND},
    {GET, "/autocomplete/users", COL_PLUS, "", LIST_COUNT, get_autocomplete_users, .bearer = "users",
     .args = user_args, .reply = "user", .summary = "Complete the name of a user", FOUND},
    {0},
};

const struct resource autocomplete_resource = {.type = "autocomplete_email",
                                               .scope = "users",
                                               .title = "Autocomplete",
                                               .doc = "Suggestions for a name that is being typed.",
                                               .table = "identity_emails",
                                               .fields = match_fields,
                                               .routes = autocomplete_routes,
                                               .visible = access_staff,
                                               .is_item = true};

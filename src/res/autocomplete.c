#include "core/people/lookup.h"

#include "api/generic.h"
#include "core/words.h"

/* ---- what is asked ------------------------------------------------------------------------------------------------- */

/* Numbers are ids, other texts names. */
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
    if (kind == LOOKUP_USERS && arg(c, "in")->given)
        l.roles = json_ids(c->work.arena, arg(c, "in")->value.ids, (size_t)arg(c, "in")->value.i);
    TRY(lookup_run(&c->work, &l));
    return api_reply_some_of(c, l.found, l.count, l.total);
}

static int get_autocomplete_emails(struct call *c) { return look_up(c, LOOKUP_EMAILS, "address"); }
static int get_autocomplete_tags(struct call *c) { return look_up(c, LOOKUP_TAGS, "name"); }
static int get_autocomplete_organizations(struct call *c) { return look_up(c, LOOKUP_ORGANIZATIONS, "name"); }
static int get_autocomplete_users(struct call *c) { return look_up(c, LOOKUP_USERS, "name"); }

/* ---- the tables ------------------------------------------------------------------------------------------------------ */

#define EXCLUDE \
    { "exclude", F_TEXTS, .doc = "Ids or names to leave out.", .example = "[\"Ada Byron\"]" }

static const struct field email_args[] = {
    {"address", F_TEXT, NULLABLE, .doc = "How the address begins, or the name of whom it belongs to."},
    EXCLUDE,
    {0},
};
static const struct field name_args[] = {
    {"name", F_TEXT, NULLABLE, .doc = "How the name begins, or a word of it."},
    EXCLUDE,
    {0},
};
static const struct word kinds_of_people[] = {{ROLE_OWNER, "OWNERS"},       {ROLE_ADMIN, "ADMINS"},
                                              {ROLE_AGENT, "AGENTS"},       {ROLE_COLLABORATOR, "COLLABORATORS"},
                                              {ROLE_CUSTOMER, "CUSTOMERS"}, {0}};
static const struct field user_args[] = {
    {"name", F_TEXT, NULLABLE, .doc = "How the name begins, or a word of it."},
    {"in", F_WORDS, .words = kinds_of_people, .doc = "Only people of these kinds."},
    EXCLUDE,
    {0},
};

static const struct field match_fields[] = {
    {"identity", F_REF, READONLY, .column = "t.id", .ref = "identity_email", .doc = "The address."},
    {"parent", F_REF, READONLY, .column = "t.user_id", .ref = "user", .doc = "Whom it belongs to."},
    {0},
};

#define FOUND       \
    .chosen = true, \
    .doc = "Names that begin so come first. total_count counts all that match; limit says how many are shown, ten without it."

static const struct route autocomplete_routes[] = {
    {GET, "/autocomplete/emails", COL_PLUS, "", LIST_COUNT, get_autocomplete_emails, .args = email_args, .summary = "Find e-mail addresses",
     FOUND},
    {GET, "/autocomplete/tags", COL_PLUS, "", LIST_COUNT, get_autocomplete_tags, .args = name_args, .reply = "tag", .summary = "Find tags",
     FOUND},
    {GET, "/autocomplete/organizations", COL_PLUS, "", LIST_COUNT, get_autocomplete_organizations, .args = name_args,
     .reply = "organization", .summary = "Find organizations", FOUND},
    {GET, "/autocomplete/users", COL_PLUS, "", LIST_COUNT, get_autocomplete_users, .args = user_args, .reply = "user",
     .summary = "Find people", FOUND},
    {0},
};

const struct resource autocomplete_resource = {.type = "autocomplete_email",
                                               .title = "Autocomplete",
                                               .doc = "What a name that is being typed may mean.",
                                               .table = "identity_emails",
                                               .fields = match_fields,
                                               .routes = autocomplete_routes,
                                               .visible = access_staff,
                                               .is_item = true};

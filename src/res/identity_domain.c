/* Domains of organizations. They are written through their organization. */
#include "api/generic.h"
#include "core/words.h"

static const struct field domain_fields[] = {
    {"domain", F_TEXT, READONLY, .doc = "The domain, in lower case.", .example = "\"engines.example\""},
    {"is_primary", F_BOOL, READONLY, .doc = "Whether it is the first of its organization."},
    {"is_validated", F_BOOL, READONLY,
     .doc = "Whether people with an address of it join the organization when they are added: as the organization is validated."},
    {"created_at", F_TIME, READONLY, .doc = "When it was made."},
    {"updated_at", F_TIME, READONLY, .doc = "When it last changed."},
    {0},
};

static void identity_domain_visible(struct work *w, struct branches *out) { out->all = w->actor.rank >= ROLE_COLLABORATOR; }

static const struct route domain_routes[] = {
    {GET, "/identities/domains/:id", COL_PLUS, "users", ONE, api_get, .summary = "Read a domain"},
    {0},
};

const struct resource identity_domain_resource = {.type = "identity_domain",
                                                  .title = "Domains",
                                                  .doc = "Domains that organizations are known by.",
                                                  .url = "identities/domains/:id",
                                                  .table = "identity_domains",
                                                  .fields = domain_fields,
                                                  .routes = domain_routes,
                                                  .visible = identity_domain_visible};

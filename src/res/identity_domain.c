/* Domains of organizations. They are changed through their organization. */
#include "api/rows/generic.h"
#include "core/words.h"
#include "res/groups.h"

static const struct field domain_fields[] = {
    {"domain", F_TEXT, READONLY, .doc = "The domain, in lower case.", .example = "\"engines.example\""},
    {"is_primary", F_BOOL, READONLY, .doc = "True for the primary domain of the organization."},
    {"is_validated", F_BOOL, READONLY,
     .doc = "True if people with an address of this domain join the organization when they are added. It "
            "equals is_validated of the organization."},
    {"*", .group = row_times},
    {0},
};

static void identity_domain_visible(struct work *w, struct branches *out) {
    out->all = w->actor.rank >= ROLE_COLLABORATOR;
}

static const struct field domain_args[] = {
    {"organization_id", F_INT, .filter = "t.organization_id = :organization_id",
     .doc = "Only domains of this organization."},
    {0},
};

static const struct route domain_routes[] = {
    {GET, "/identities/domains", COL_PLUS, "users", LIST, api_list, .args = domain_args,
     .summary = "List domains"},
    {GET, "/identities/domains/:id", COL_PLUS, "users", ONE, api_get, .summary = "Get a domain",
     .sample = {.path = "$DOMAIN",
                .setup = "DOMAIN=$(curl {owner} -d name=Domains -d domains=domains.example "
                         "\"{api}/organizations?include=identity_domain\" | below identities/domains)"}},
    {0},
};

static const struct field domain_items[] = {{ITEM_TEXT, F_TEXT, .doc = "The domain."}, {0}};

const struct resource identity_domain_resource = {.type = "identity_domain",
                                                  .scope = "users",
                                                  .items = domain_items,
                                                  .title = "Domains",
                                                  .doc = "E-mail domains of organizations.",
                                                  .url = "identities/domains/:id",
                                                  .table = "identity_domains",
                                                  .fields = domain_fields,
                                                  .routes = domain_routes,
                                                  .visible = identity_domain_visible};

/* Brands, endpoints, and mailboxes. The API shows no secrets, so endpoints and mailboxes
 * come disabled, and staff give them their passwords. */
#include "base/error.h"
#include "base/fold.h"
#include "core/change/record.h"
#include "core/mail/mailbox.h"
#include "transfer/deskapi_parts.h"
#include "transfer/foreign_row.h"
#include "transfer/imported.h"

static const struct api_kind_here brands = {"brand", "/brands", "brands", NULL},
                                  endpoints = {"endpoint", "/endpoints", "endpoints", NULL},
                                  mailboxes = {"mailbox", "/mailboxes", "mailboxes", NULL};

/* ---- brands ---------------------------------------------------------------------------------- */

QUERY(default_brand_here, "SELECT id FROM brands WHERE is_default = 1");

/* Returns 1 if the default brand stood for this one at the last run, 0 or a negative error. It keeps its
 * values, whichever brand is the default one of the source now. */
static int brand_stands(struct foreign *f, int64_t id, int64_t standard) {
    struct imported row;
    int known = f->maps_ids ? imported_find(f, brands.type, id, &row) : 0;
    return known == 1 ? row.here == standard : known;
}

/* Pages of a trusted domain may write with the credentials of a browser, so an owner of this desk decides
 * that. */
int take_api_brand(struct foreign *f, const struct json *item) {
    struct json *body = api_body(f, api_parameters(&brands), item,
                                 "logo_file_id picture_file_id is_default is_domain_trusted");
    int64_t here, standard, id = item_int(item, "id");
    bool is_default = json_member_true(item, "is_default");
    if (json_member_text(item, "logo").n || json_member_text(item, "picture").n)
        foreign_skip(f, "logos and pictures of brands: upload them again", id);
    if (json_member_true(item, "is_domain_trusted"))
        foreign_skip(f, "trust in the domains of brands: an owner decides it here", id);
    api_put(body, "is_domain_trusted", json_new(f->item, JSON_FALSE));
    TRY(db_int(f->conn, &default_brand_here, NULL, &standard));
    int stands = is_default ? 1 : brand_stands(f, id, standard);
    TRY(stands);
    if (stands) {
        TRY(api_row_give(f, &brands, item, body, standard));
        return take_api_templates(f, item, standard, !f->maps_ids);
    }
    int rc = api_row_make(f, &brands, item, body, 0, &here);
    return rc >= 0 && here > 0 ? take_api_templates(f, item, here, rc > 0) : rc;
}

/* ---- endpoints ------------------------------------------------------------------------------- */

/* The reply has a list of {name, value}, a request an object. Secrets are shown as an empty text. */
static struct json *attributes_shown(struct foreign *f, const struct json *list) {
    struct json *out = json_new(f->item, JSON_OBJECT);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        const struct json *value = json_member(j, S("value"));
        struct str name = json_member_text(j, "name");
        if (!value || !name.n || value->type == JSON_NULL) continue;
        if (value->type == JSON_STRING && value->text.n == 0) continue;
        api_put(out, str_fmt(f->item, "%.*s", (int)name.n, name.p).p, api_bare(f, value));
    }
    return out;
}

int take_api_endpoint(struct foreign *f, const struct json *item) {
    struct json *body = api_body(f, api_parameters(&endpoints), item, "attributes is_enabled");
    int64_t here;
    api_put(body, "attributes", attributes_shown(f, item_list(item, "attributes")));
    api_put(body, "is_enabled", json_new(f->item, JSON_FALSE));
    int rc = api_row_make(f, &endpoints, item, body, 0, &here);
    if (rc > 0)
        foreign_skip(f, "passwords and signing secrets of endpoints: the endpoints are disabled",
                     item_int(item, "id"));
    return rc < 0 ? rc : 0;
}

/* ---- mailboxes ------------------------------------------------------------------------------- */

QUERY(mailbox_with_key, "SELECT id FROM mailboxes WHERE address_key = :key AND deleted_at IS NULL");

/* POST would send a mail to the address, which is still that of the source. */
static int mailbox_make(struct foreign *f, const struct json *item, int64_t *here) {
    struct work w;
    struct str address = json_member_text(item, "address"), name = json_member_text(item, "name");
    int64_t brand = api_here(f, "brand", api_reference(item, "brand")),
            team = api_here(f, "team", api_reference(item, "team"));
    if (brand == 0) TRY(db_int(f->conn, &default_brand_here, NULL, &brand));
    const struct column columns[] = {
        COLUMN_UNRECORDED(B_TEXT, "uuid", random_uuid(f->item)),
        COLUMN_UNRECORDED(B_TEXT, "address", address),
        COLUMN_UNRECORDED(B_TEXT, "address_key", mailbox_key(f->item, address)),
        COLUMN_UNRECORDED(B_TEXT, "name", name.n ? foreign_line(f, name, "Support") : (struct str){0}),
        COLUMN_UNRECORDED(B_INT, "brand_id", brand),
        COLUMN_UNRECORDED(B_ID, "team_id", team),
        COLUMN_UNRECORDED(B_INT, "is_enabled", 0),
    };
    foreign_work(f, &w, api_time(f, item, "created_at"), foreign_owner(f));
    foreign_made(f, "mailboxes", 1);
    foreign_skip(f, "passwords of mailboxes: the mailboxes are disabled and not verified",
                 item_int(item, "id"));
    int rc = record_insert(&w, (struct record){"mailbox", "mailboxes", NULL}, columns,
                           sizeof columns / sizeof *columns, here);
    return foreign_done(f, &w, rc);
}

int take_api_mailbox(struct foreign *f, const struct json *item) {
    struct str address = json_member_text(item, "address");
    struct imported row;
    int64_t here;
    int known = imported_find(f, mailboxes.type, item_int(item, "id"), &row);
    if (known || json_member_true(item, "is_system") || json_member_true(item, "is_deleted"))
        return known < 0 ? known : 0;
    if (!email_valid(address) || memchr(address.p, '+', address.n)) {
        foreign_skip(f, "mailboxes whose address is not valid", item_int(item, "id"));
        return 0;
    }
    struct str key = mailbox_key(f->item, address);
    int found = db_int(f->conn, &mailbox_with_key, BINDS(B_TEXT("key", key)), &here);
    TRY(found);
    if (found) return api_row_same(f, &mailboxes, item, here);
    TRY(mailbox_make(f, item, &here));
    TRY(api_row_same(f, &mailboxes, item, here));
    return api_row_give(f, &mailboxes, item,
                        api_body(f, api_parameters(&mailboxes), item,
                                 "address brand team name is_enabled oauth_provider oauth_client_id "
                                 "oauth_authorization_url oauth_token_url oauth_issuer oauth_scopes"),
                        here);
}

/* Brands: the names and addresses under which a desk meets its customers. */
#include "core/helpcenter/category.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "base/fold.h"
#include "core/desk/brand_logo.h"
#include "core/desk/brand_picture.h"
#include "core/desk/widget.h"
#include "core/mail/mailbox.h"
#include "core/words.h"
#include "res/groups.h"
#include "res/person.h"
#include "res/upload.h"

#include <inttypes.h>

/* Checks one label, in any letter case. domain_read accepts only full names. */
static int check_sub_domain(struct call *c, struct in *in) {
    struct str label = str_trim(in->value.s), key = {0};
    if (label.n && !memchr(label.p, '.', label.n))
        key = domain_read(c->work.arena, STR_CAT(c->work.arena, label, S(".example")));
    if (key.p == NULL)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                       "A single label of a host name is expected, like help.");
    in->value.s = str_cut(&key, '.');
    return 0;
}

static int check_domain(struct call *c, struct in *in) {
    struct str key = domain_read(c->work.arena, in->value.s);
    if (key.p == NULL)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                       "A host name like help.example.com is expected.");
    in->value.s = key;
    return 0;
}

/* ---- the look of the pages ------------------------------------------------------------------- */

static int check_color(struct call *c, struct in *in) {
    struct str s = str_trim(in->value.s);
    bool good = s.n == 7 && s.p[0] == '#';
    char *lower = arena_alloc(c->work.arena, 8);
    for (size_t i = 0; good && i < 7; i++) {
        lower[i] = s.p[i] >= 'A' && s.p[i] <= 'F' ? (char)(s.p[i] | 0x20) : s.p[i];
        good = i == 0 || (lower[i] >= '0' && lower[i] <= '9') || (lower[i] >= 'a' && lower[i] <= 'f');
    }
    if (!good)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                       "A colour like #0b4fc4 is expected.");
    in->value.s = (struct str){lower, 7};
    return 0;
}

static const struct picture_form logo_form = {NULL, "logo_file_id", true, LOGO_SIDE, picture_thumbnail};

static const struct picture_form home_picture_form = {NULL, "picture_file_id", true, BRAND_PICTURE_LEAST,
                                                      picture_banner};

struct brand_prepared {
    struct picture_input logo, picture;
    struct brand_picture list[BRAND_PICTURE_WIDTHS]; /* of the picture, ascending by width */
    int count;
};

/* Makes the other widths of the picture. */
static int home_pictures_make(struct call *c, struct brand_prepared *p) {
    struct picture_input *in = &p->picture;
    TRY(picture_input_read(c, &home_picture_form, in));
    if (in->made.data.p && in->picture.width < BRAND_PICTURE_LEAST)
        in->wrong = "The picture is too narrow. Send one that is at least 640 pixels wide.";
    if (in->made.data.p == NULL || in->wrong) return 0;
    p->list[p->count++] = (struct brand_picture){in->made.width, in->made.data};
    for (int i = 1; i < BRAND_PICTURE_WIDTHS && in->picture.width > brand_picture_widths[i - 1]; i++) {
        struct thumbnail made;
        int rc = picture_banner(in->path.p, brand_picture_widths[i], c->work.arena, &in->picture, &made);
        TRY(rc);
        if (rc == 0) in->wrong = "This picture can't be read, or it has too many pixels.";
        p->list[p->count++] = (struct brand_picture){made.width, made.data};
    }
    return 0;
}

static int brand_prepare(struct call *c) {
    struct brand_prepared *p = c->prepared = ARENA_NEW(c->work.arena, struct brand_prepared);
    TRY(picture_input_read(c, &logo_form, &p->logo));
    return home_pictures_make(c, p);
}

static int check_home_picture(struct call *c, struct in *in) {
    return picture_input_check(c, in, &((const struct brand_prepared *)c->prepared)->picture);
}

static int store_home_picture(struct call *c, const struct in *in, int64_t id) {
    const struct brand_prepared *p = c->prepared;
    return brand_picture_set(&c->work, id, p->list, in->value.type == V_NULL ? 0 : p->count);
}

static void render_home_picture(struct view *v, const struct row *row, const struct value *own) {
    struct arena *a = v->c->work.arena;
    int width = (int)row_cell(row, "picture_width")->i;
    int64_t at;
    if (own->type == V_TEXT && str_to_int(own->s, &at))
        jw_str(&v->w, STR_CAT(a, v->c->work.desk->base_url, brand_picture_path(a, row->id, width, at)));
    else jw_null(&v->w);
}

static int check_logo(struct call *c, struct in *in) {
    return picture_input_check(c, in, &((const struct brand_prepared *)c->prepared)->logo);
}

static int store_logo(struct call *c, const struct in *in, int64_t id) {
    const struct thumbnail *made = &((const struct brand_prepared *)c->prepared)->logo.made;
    return brand_logo_set(&c->work, id, made->type, in->value.type == V_NULL ? (struct str){0} : made->data);
}

static void render_logo(struct view *v, const struct row *row, const struct value *own) {
    struct str base = v->c->work.desk->base_url;
    if (own->type == V_TEXT)
        jw_str(&v->w, str_fmt(v->c->work.arena, "%.*s/helpcenter/logo/%" PRId64 "?v=%.*s", (int)base.n,
                              base.p, row->id, (int)own->s.n, own->s.p));
    else jw_null(&v->w);
}

/* ---- the trusted domain ---------------------------------------------------------------------- */

/* Pages of a trusted domain may write with credentials that a browser adds by itself
 * (api/caller/cross_site.c), so an owner decides, as for security.cors_origins. An owner who sets a
 * domain trusts it. An admin's domain serves pages, and waits for an owner. */
QUERY(brand_trust,
      "UPDATE brands SET trusted_domain = CASE WHEN :trusted = 1 THEN domain END WHERE id = :id");
QUERY(brand_trusted,
      "SELECT domain, CASE WHEN trusted_domain = domain THEN 1 ELSE 0 END FROM brands WHERE id = :id");

static bool brand_by_owner(const struct call *c) { return c->work.actor.rank >= ROLE_OWNER; }

/* An admin who sends back what the brand has, sends it beside a new domain, too, which is not trusted. */
static int store_trust(struct call *c, const struct in *in, int64_t id) {
    return brand_by_owner(c)
               ? db_exec(c->work.conn, &brand_trust, BINDS(B_INT("id", id), B_INT("trusted", in->value.i)))
               : 0;
}

/* Checks is_domain_trusted, if it is given. c->id 0: of a new brand. */
static int check_trust(struct call *c) {
    const struct in *domain = in(c, "domain");
    bool trusted = false, has = false;
    struct stmt *row;
    if (!given(c, "is_domain_trusted")) return 0;
    int rc = c->id ? db_row(c->work.conn, &brand_trusted, BINDS(B_INT("id", c->id)), &row) : 0;
    TRY(rc);
    if (rc) {
        has = !col_null(row, 0);
        trusted = col_int(row, 1) != 0;
        stmt_end(row);
    }
    bool wanted = in_int(c, "is_domain_trusted") != 0;
    if (domain->given) has = domain->value.type == V_TEXT && domain->value.s.n;
    if (wanted != trusted && !brand_by_owner(c))
        return in_fail(c, "is_domain_trusted", ERR_PERMISSIONS_DENIED,
                       "Only owners decide which domains are trusted.");
    if (wanted && !has)
        return in_fail(c, "is_domain_trusted", ERR_FIELD_INVALID,
                       "The brand has no domain that could be trusted.");
    return 0;
}

static int trust_own_domain(struct call *c) {
    if (!brand_by_owner(c) || !given(c, "domain") || given(c, "is_domain_trusted")) return 0;
    return db_exec(c->work.conn, &brand_trust, BINDS(B_INT("id", c->id), B_INT("trusted", 1)));
}

static int post_brand(struct call *c) {
    TRY(api_input(c));
    TRY(check_trust(c));
    TRY(api_insert(c));
    TRY(trust_own_domain(c));
    return api_reply(c);
}

static int put_brand(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(check_trust(c));
    TRY(api_store(c));
    TRY(trust_own_domain(c));
    if (given(c, "is_enabled")) TRY(widgets_changed(&c->work));
    return api_reply(c);
}

/* All brands are served under one base URL. */
static void render_ssl(struct view *v, const struct row *row, const struct value *own) {
    (void)row, (void)own;
    jw_bool(&v->w, str_starts(v->c->work.desk->base_url, S("https://")));
}

static const struct field brand_fields[] = {
    {"name", F_TEXT, REQUIRED, .doc = "Name of the brand.", .example = "\"Engines\""},
    {"sub_domain", F_TEXT, NULLABLE | UNIQUE, .check = check_sub_domain,
     .doc = "Label of the brand under the domain of the desk.", .example = "\"engines\""},
    {"domain", F_TEXT, NULLABLE | UNIQUE, .check = check_domain, .doc = "Own host name of the brand.",
     .example = "\"help.engines.example\""},
    {"is_domain_trusted", F_BOOL, 0, .column = "CASE WHEN t.trusted_domain = t.domain THEN 1 ELSE 0 END",
     .store = store_trust,
     .doc = "True if pages of the domain may write with credentials that a browser adds by itself. A domain "
            "that an owner sets is trusted. One that an admin sets is not, until an owner sets this member "
            "to true. Only owners change it."},
    {"alias", F_COMPUTED, READONLY, .render = render_null, .doc = "Another host name. It is always null.",
     .example = "null"},
    {"locale", F_REF, 0, .ref = "locale", .initial = "1", .doc = "Locale of the brand."},
    {"time_zone", F_TEXT, NULLABLE, .check = check_time_zone,
     .doc = "Time zone in which rules and views count days (today, lastweek) for conversations of the "
            "brand: a name of the tz database. Null: the setting desk.time_zone.",
     .example = "\"Europe/Berlin\""},
    {"color", F_TEXT, NULLABLE, .check = check_color,
     .doc = "Colour of the brand on the pages of the help center.", .example = "\"#0b4fc4\""},
    {"theme", F_WORD, 0, .words = brand_themes, .initial = "BOLD",
     .doc = "Look of the pages of the help center. BOLD: header in the colour of the brand. CALM: header on "
            "the ground of the page. PAPER: warm grounds, headings with serifs.",
     .example = "\"BOLD\""},
    {"logo", F_COMPUTED, READONLY, .column = "t.logo_at", .render = render_logo,
     .doc = "Address of the logo.",
     .example = "\"https://desk.example.com/helpcenter/logo/1?v=1767225600000\""},
    {"logo_file_id", F_INT, NULLABLE | INPUT_ONLY, .column = "", .min = 1, .max = INT64_MAX,
     .check = check_logo, .store = store_logo,
     .doc = "Id of an uploaded picture (POST /files). The server scales it to at most 320 pixels. Null "
            "removes the logo."},
    {"picture", F_COMPUTED, READONLY, .column = "t.picture_at", .render = render_home_picture,
     .doc = "Address of the picture on the home page of the help center, in its greatest width.",
     .example = "\"https://desk.example.com/helpcenter/picture/1/1920?v=1767225600000\""},
    {"picture_width", F_INT, HIDDEN, .column = "t.picture_width"},
    {"picture_file_id", F_INT, NULLABLE | INPUT_ONLY, .column = "", .min = 1, .max = INT64_MAX,
     .check = check_home_picture, .store = store_home_picture,
     .doc = "Id of an uploaded picture (POST /files), at least 640 pixels wide. The server scales it to 640, "
            "1280 and 1920 pixels, and cuts it to at most three quarters of its width. Null removes the "
            "picture; the home page has the colour of the brand then."},
    {"is_ssl_enabled", F_COMPUTED, READONLY, .render = render_ssl,
     .doc = "True if the brand is served over TLS, as the desk is.", .example = "true"},
    {"is_default", F_BOOL, 0, .initial = "0",
     .doc =
         "True for the brand that is used where none is named. Exactly one brand is the default: setting it "
         "here unsets the one before."},
    {"is_enabled", F_BOOL, 0, .initial = "1",
     .doc = "True if the brand is in use. The default brand is always enabled."},
    {"*", .group = row_times},
    {0},
};

/* A brand takes its empty categories along. */
static int delete_brands(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_refuse(c,
                   "EXISTS (SELECT 1 FROM categories g JOIN sections s ON s.category_id = g.id "
                   "WHERE g.brand_id = t.id)",
                   "The help center of the brand has sections. Delete them, or move their categories to "
                   "another brand first."));
    TRY(api_refuse(c,
                   "EXISTS (SELECT 1 FROM mailboxes m WHERE m.brand_id = t.id AND m.is_system = 0 "
                   "AND m.deleted_at IS NULL)",
                   "The brand has mailboxes. Delete them, or give them to another brand first."));
    TRY(mailboxes_leave_brands(&c->work, api_ids(c)));
    TRY(categories_of_brands_delete(&c->work, api_ids(c)));
    TRY(widgets_changed(&c->work));
    TRY(api_remove(c));
    return api_reply(c);
}

#define WRITTEN .permission = "brands.manage", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"

#define LOOK .prepare = brand_prepare, .lane = LANE_PICTURE, .lane_for = "logo_file_id,picture_file_id"

static const struct route brand_routes[] = {
    {GET, "/brands", COL_PLUS, "configuration", LIST, api_list, .summary = "List brands"},
    {GET, "/brands/:id", COL_PLUS, "configuration", ONE, api_get, .summary = "Get a brand"},
    {POST, "/brands", AD, "configuration", ONE, post_brand, WRITTEN, LOOK, .summary = "Create a brand"},
    {PUT, "/brands/:id", AD, "configuration", ONE, put_brand, WRITTEN, LOOK, .summary = "Update a brand"},
    {DELETE, "/brands/:id", AD, "configuration", NONE, delete_brands, WRITTEN, .summary = "Delete a brand",
     .doc = "Deletes its templates and its empty categories, too."},
    {DELETE, "/brands", AD, "configuration", COUNT, delete_brands, WRITTEN,
     .summary = "Delete several brands"},
    {0},
};

const struct resource brand_resource = {.type = "brand",
                                        .scope = "configuration",
                                        .title = "Brands",
                                        .doc =
                                            "Names and addresses under which the desk meets its customers.",
                                        .url = "brands/:id",
                                        .table = "brands",
                                        .texts_kept = CONFIGURATION_TEXTS,
                                        .fields = brand_fields,
                                        .routes = brand_routes,
                                        .visible = access_everyone,
                                        .expanded_for = COL_PLUS,
                                        .has_default = true};

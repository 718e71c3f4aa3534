/* Settings and visitors for the pages of a widget's origins (core/desk/widget.h). The origin names the
 * brand. */
#include "core/desk/widget.h"

#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "base/limits.h"
#include "core/desk/setting.h"
#include "core/people/visitor.h"
#include "core/words.h"

#include <inttypes.h>

static const struct field settings_fields[] = {
    {"name", F_TEXT, READONLY, .doc = "Name of the brand.", .example = "\"Engines\""},
    {"color", F_TEXT, READONLY | NULLABLE, .doc = "Colour of the brand. Null: none.",
     .example = "\"#0b4fc4\""},
    {"theme", F_TEXT, READONLY, .doc = "Look of the brand: BOLD, CALM or PAPER.", .example = "\"BOLD\""},
    {"logo", F_TEXT, READONLY | NULLABLE, .doc = "Address of the logo. Null: none.",
     .example = "\"https://desk.example.com/helpcenter/logo/1?v=1767225600000\""},
    {"greeting", F_TEXT, READONLY | NULLABLE, .doc = "First words of the widget. Null: its own.",
     .example = "\"How can we help?\""},
    {"locale", F_TEXT, READONLY, .doc = "Locale of the brand.", .example = "\"en-us\""},
    {"locales", F_JSON, READONLY, .doc = "Enabled locales of the desk, in which articles may be written.",
     .example = "[\"en-us\"]"},
    {"is_anonymous_allowed", F_BOOL, READONLY,
     .doc = "True if every visitor may open a conversation. False: only visitors whom the site has signed "
            "in."},
    {"has_signed_visitors", F_BOOL, READONLY,
     .doc = "True if the brand has a secret, by which the site may sign visitors in."},
    {"max_file_megabytes", F_INT, READONLY, .doc = "Largest file of a message, in MiB.", .example = "20"},
    {"max_files", F_INT, READONLY, .doc = "Most files of a message.", .example = "100"},
    {"max_contents", F_INT, READONLY, .doc = "Most characters of a message.", .example = "524288"},
    {"helpcenter_url", F_TEXT, READONLY, .doc = "Address of the help center.",
     .example = "\"https://desk.example.com/helpcenter\""},
    {0},
};

QUERY(widget_locales, "SELECT locale FROM locales WHERE is_enabled = 1 ORDER BY id");

static int locales_json(struct work *w, struct str *out) {
    struct buf b = {0};
    struct json_writer j;
    int rc;
    jw_init(&j, &b);
    jw_array(&j);
    DB_ROWS(rc, w->conn, &widget_locales, NULL, row) jw_str(&j, col_text(row, 0));
    jw_end(&j);
    *out = buf_take(&b, w->arena);
    return rc;
}

static void set_number(struct row *row, const char *name, int64_t n) {
    *row_cell(row, name) = (struct value){V_INT, .i = n};
}

static void set_text(struct row *row, const char *name, struct str s) {
    if (s.p) *row_cell(row, name) = value_text(s);
}

static int fill_settings(struct call *c, struct row *row) {
    struct arena *a = c->work.arena;
    struct str base = c->work.desk->base_url, locales;
    struct widget_look look;
    int64_t brand_id = c->work.actor.widget_brand_id;
    TRY_FOUND(&c->work, widget_look(&c->work, brand_id, &look));
    TRY(locales_json(&c->work, &locales));
    set_text(row, "name", look.name);
    set_text(row, "color", look.color);
    set_text(row, "theme", look.theme);
    if (look.logo_at)
        set_text(row, "logo",
                 str_fmt(a, "%.*s/helpcenter/logo/%" PRId64 "?v=%" PRId64, (int)base.n, base.p, brand_id,
                         look.logo_at));
    set_text(row, "greeting", look.greeting);
    set_text(row, "locale", look.locale);
    set_text(row, "locales", locales);
    set_number(row, "is_anonymous_allowed", look.is_anonymous_allowed);
    set_number(row, "has_signed_visitors", look.has_secret);
    set_number(row, "max_file_megabytes", setting_int(c->work.desk, "files.max_megabytes"));
    set_number(row, "max_files", LIMIT_ATTACHMENTS);
    set_number(row, "max_contents", LIMIT_CONTENTS);
    set_text(row, "helpcenter_url", STR_CAT(a, base, S("/helpcenter")));
    return 0;
}

static int of_widget(struct call *c) {
    if (c->work.actor.widget_brand_id) return 0;
    return fail_field(&c->work, ERR_PERMISSIONS_DENIED, (struct str){0},
                      "No brand lists the origin of this request. An owner adds it by PUT "
                      "/brands/:id/widget.");
}

/* Every visitor of each page of the site asks for it, so browsers and proxies keep it for a minute. */
static int get_widget_settings(struct call *c) {
    TRY(api_input(c));
    TRY(of_widget(c));
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    TRY(fill_settings(c, row));
    TRY(view_follow(v, row));
    call_header(c, "Cache-Control", S("public, max-age=60"));
    return envelope_row(v, row);
}

static const struct route widget_settings_routes[] = {
    {GET, "/widget/settings", PUBLIC | WIDGET, "", ONE, get_widget_settings,
     .sample = {.refused = "PERMISSIONS_DENIED"}, /* curl has no Origin */
     .summary = "Get the settings of the widget of a page",
     .doc = "Of the brand that lists the origin of the page (header Origin).",
     .errors = "PERMISSIONS_DENIED"},
    {0},
};

const struct resource widget_settings_resource = {
    .type = "widget_settings",
    .scope = "",
    .title = "Widget",
    .doc = "What the widget of a brand shows in a page of another site, before a visitor writes.",
    .fields = settings_fields,
    .routes = widget_settings_routes};

/* ---- signed visitors ------------------------------------------------------------------------- */

static const struct field identity_fields[] = {
    {"name", F_TEXT, READONLY, .doc = "Name of the visitor, as the site gave it.",
     .example = "\"Ada Byron\""},
    {"email", F_TEXT, READONLY, .doc = "E-mail address of the visitor, as the site gave it.",
     .example = "\"ada@example.com\""},
    {"expires_at", F_TIME, READONLY, .doc = "The page must send a new token before this time."},
    {0},
};

static const struct field identity_input[] = {
    {"token", F_TEXT, REQUIRED, .max = 4096,
     .doc = "JSON Web Token (HS256) that the server of the site signed with the secret of the brand. "
            "Claims: email, name, iat, and exp if it ends before ten minutes.",
     .example = "\"eyJhbGciOiJIUzI1NiJ9.eyJlbWFpbCI6ImFkYUBleGFtcGxlLmNvbSJ9.c2ln\""},
    {0},
};

/* Only a fingerprint is bound: a logged-in caller is known already. */
static int of_fingerprint(struct call *c) {
    TRY(of_widget(c));
    if (c->work.actor.device.p) return 0;
    return fail_field(&c->work, ERR_PERMISSIONS_DENIED, (struct str){0},
                      "Send X-Fingerprint-ID, and no other credentials.");
}

static int post_widget_identity(struct call *c) {
    struct visitor_claim claim;
    TRY(of_fingerprint(c));
    TRY(api_input(c));
    TRY(visitor_claim_read(&c->work, in_text(c, "token"), &claim));
    TRY(visitor_bind(&c->work, &claim));
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    set_text(row, "name", claim.name);
    set_text(row, "email", claim.email);
    set_number(row, "expires_at", c->work.now + VISITOR_KEPT);
    return envelope_row(v, row);
}

static int delete_widget_identity(struct call *c) {
    TRY(of_fingerprint(c));
    TRY(api_input(c));
    TRY(visitor_unbind(&c->work));
    return api_reply_none(c);
}

static const struct route identity_routes[] = {
    {POST, "/widget/identity", PUBLIC | FINGERPRINT | WIDGET, "", ONE, post_widget_identity,
     .input = identity_input, .status = 200,
     .sample = {.refused = "PERMISSIONS_DENIED"}, /* curl has no Origin */
     .summary = "Sign a visitor of a widget in",
     .doc = "Binds the fingerprint to the customer with the address of the token, for 30 days. A token is "
            "accepted for ten minutes, from one fingerprint. The signature proves that the site named this "
            "person. It opens nothing that the person has elsewhere, and never makes a visitor staff.",
     .errors = "PERMISSIONS_DENIED"},
    {DELETE, "/widget/identity", PUBLIC | FINGERPRINT | WIDGET, "", NONE, delete_widget_identity,
     .sample = {.refused = "PERMISSIONS_DENIED"}, .summary = "Sign a visitor of a widget out",
     .doc = "The fingerprint stands for nobody from now on.", .errors = "PERMISSIONS_DENIED"},
    {0},
};

const struct resource widget_identity_resource = {
    .type = "widget_identity",
    .scope = "",
    .title = "Visitors of a widget",
    .doc = "Who a visitor of a widget is, as the server of the site has signed it.",
    .fields = identity_fields,
    .routes = identity_routes};

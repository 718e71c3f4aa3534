/* Templates of brands, which come with their brand. A further run takes a template that the source has
 * changed since, unless this desk has changed it, too: then it stays.
 *
 * imported_ids.carried of a brand has the brand here, and hashes of each template: `there`, of the contents
 * that the source had at the last run, and `here`, of those that the import has stored. They differ where
 * addresses of articles were changed. A template without a hash was the original. The default brand of a desk
 * with rows of its own has nothing there, so its templates stay as they are. */
#include "transfer/deskapi_parts.h"

#include <sodium.h>

#include "base/error.h"
#include "core/text/template.h"
#include "transfer/foreign_row.h"
#include "transfer/imported.h"

QUERY(brand_is_default, "SELECT is_default FROM brands WHERE id = :id");

/* ---- what the last run has given ------------------------------------------------------------- */

struct carried_templates {
    int64_t brand;                                        /* here */
    struct str there[TEMPLATES_MAX], here[TEMPLATES_MAX]; /* hashes */
    bool is_new;                                          /* no run has carried the brand */
};

/* text p NULL: the original */
static struct str contents_hash(struct foreign *f, struct str text) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    char *hex = arena_bytes(f->item, 2 * sizeof sum + 1);
    if (!text.p) return S("");
    crypto_hash_sha256(sum, (const unsigned char *)text.p, text.n);
    sodium_bin2hex(hex, 2 * sizeof sum + 1, sum, sizeof sum);
    return (struct str){hex, 2 * sizeof sum};
}

/* Returns 1 if an earlier run has given the brand templates, 0 if not, or a negative error. */
static int templates_given(struct foreign *f, const struct json *item, struct carried_templates *x) {
    struct imported row;
    int known = imported_find(f, "brand", item_int(item, "id"), &row);
    const struct json *given = known == 1 ? imported_given(f, &row) : NULL;
    if (!given || item_int(given, "brand") != x->brand) return known < 0 ? known : 0;
    const struct json *there = json_member(given, S("there")), *here = json_member(given, S("here"));
    for (const struct template *t = templates; there && here && t->name; t++) {
        x->there[t - templates] = json_member_text(there, t->name);
        x->here[t - templates] = json_member_text(here, t->name);
    }
    return 1;
}

static int templates_carry(struct foreign *f, const struct json *item, const struct carried_templates *x) {
    struct json *all = json_new(f->item, JSON_OBJECT), *there = json_new(f->item, JSON_OBJECT),
                *here = json_new(f->item, JSON_OBJECT);
    for (const struct template *t = templates; t->name; t++) {
        if (x->there[t - templates].n) api_put_text(f, there, t->name, x->there[t - templates]);
        if (x->here[t - templates].n) api_put_text(f, here, t->name, x->here[t - templates]);
    }
    api_put_id(f, all, "brand", x->brand);
    api_put(all, "there", there);
    api_put(all, "here", here);
    return imported_carry(f, "brand", item_int(item, "id"), json_text(f->item, all));
}

/* ---- templates ------------------------------------------------------------------------------- */

/* Contents that are the original here or there are none of the brand's own: *text gets p NULL. Returns false
 * if the source shows none, or, with a report, if the template is unknown. */
static bool template_there(struct foreign *f, const struct json *item, const struct template **t,
                           struct str *text) {
    const struct json *custom = json_member(item, S("is_custom"));
    *t = template_named(json_member_text(item, "name"));
    *text = json_member_text(item, "contents");
    if (!text->n) return false;
    bool is_original =
        (custom && custom->type == JSON_FALSE) || (*t && str_eq(*text, str_of((*t)->original)));
    if (is_original) *text = (struct str){0};
    else if (!*t) foreign_skip(f, "templates that are unknown here", item_int(item, "id"));
    return *t != NULL;
}

/* Stores the contents if the source has changed them, this desk has not, and they are valid here. */
static int take_template(struct foreign *f, struct carried_templates *x, const struct json *item) {
    struct work w;
    struct template_blocks blocks;
    struct str text, own[TEMPLATES_MAX];
    const struct template *t;
    const char *why;
    if (!template_there(f, item, &t, &text)) return 0;
    struct str hash = contents_hash(f, text), *there = &x->there[t - templates],
               *here = &x->here[t - templates];
    if (str_eq(hash, *there)) return 0;
    *there = hash;
    if (text.p && !template_parse(f->item, t, text, &blocks, &why)) {
        foreign_skip(f, "templates of brands that are not valid here", item_int(item, "id"));
        return 0;
    }
    foreign_work(f, &w, api_time(f, item, "updated_at"), foreign_owner(f));
    TRY(templates_of_brand(&w, x->brand, str_of(t->name), own));
    struct str now = contents_hash(f, own[t - templates]);
    if (!str_eq(now, hash) && !str_eq(now, *here)) {
        foreign_skip(f, "changes of templates that were changed here, too: they stay as they are here",
                     item_int(item, "id"));
        return 0;
    }
    *here = hash;
    if (str_eq(now, hash)) return 0;
    foreign_made(f, x->is_new ? "templates" : "templates with changes", 1);
    return foreign_done(f, &w, template_put(&w, x->brand, t, text));
}

int take_api_templates(struct foreign *f, const struct json *item, int64_t brand, bool is_new) {
    struct carried_templates x = {.brand = brand, .is_new = is_new};
    const struct json *list = item_list(item, "_extra");
    int given = is_new ? 1 : templates_given(f, item, &x);
    if (given <= 0) return given;
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) TRY(take_template(f, &x, j));
    return templates_carry(f, item, &x);
}

/* ---- links to articles ----------------------------------------------------------------------- */

/* The former contents become a version. */
static int template_linked(struct foreign *f, struct carried_templates *x, const struct json *item) {
    struct work w;
    struct template_blocks blocks;
    struct str own[TEMPLATES_MAX];
    const char *why;
    const struct template *t = template_named(json_member_text(item, "name"));
    bool left = false;
    if (!t || !api_names_source(f, json_member_text(item, "contents"))) return 0;
    foreign_work(f, &w, api_time(f, item, "updated_at"), foreign_owner(f));
    TRY(templates_of_brand(&w, x->brand, str_of(t->name), own));
    struct str text = own[t - templates], after = text.p ? api_links(f, text, (struct str){0}, &left) : text;
    if (left) report_links(f, item_int(item, "id"));
    if (!text.p || str_eq(text, after) || !template_parse(f->item, t, after, &blocks, &why)) return 0;
    struct str *here = &x->here[t - templates];
    if (str_eq(*here, contents_hash(f, text))) *here = contents_hash(f, after);
    return foreign_done(f, &w, template_put(&w, x->brand, t, after));
}

/* The default brand of a desk with rows of its own has templates of its own. */
int take_api_template_links(struct foreign *f, const struct json *item) {
    struct carried_templates x = {.brand = foreign_find(f, "brand", item_int(item, "id"))};
    const struct json *list = item_list(item, "_extra");
    int64_t is_default = 0;
    if (x.brand == 0) return 0;
    TRY(db_int(f->conn, &brand_is_default, BINDS(B_INT("id", x.brand)), &is_default));
    int given = templates_given(f, item, &x);
    if (given < 0 || (!given && is_default)) return given;
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) TRY(template_linked(f, &x, j));
    return given ? templates_carry(f, item, &x) : 0;
}

#include "pages/brand.h"

#include "api/call/machine.h"
#include "base/fold.h"
#include "base/limits.h"
#include "base/slots.h"
#include "pages/page_cache.h"

#include <stdio.h>
#include <xxhash.h>

QUERY(site_brand_by_host,
      "SELECT b.id, b.name, b.domain, b.sub_domain, b.is_enabled, b.is_default, l.locale, "
      "(SELECT @JSON_ROWS(r.locale) FROM locales r WHERE r.direction = 'rtl'), "
      "CASE WHEN b.domain = :domain THEN 2 WHEN b.sub_domain = :label THEN 1 ELSE 0 END AS how, "
      "(SELECT m.contents FROM templates m WHERE m.brand_id = b.id "
      "AND m.name = 'helpcenter_layout'), (SELECT m.contents FROM templates m WHERE m.brand_id = b.id "
      "AND m.name = :template), b.color, b.logo_at, b.theme, "
      "b.picture_at, b.picture_width "
      "FROM brands b JOIN locales l ON l.id = b.locale_id "
      "WHERE b.domain = :domain OR b.sub_domain = :label OR b.is_default = 1 "
      "ORDER BY how DESC LIMIT 1");

/* The label of "engines.desk.example.com" under "desk.example.com"; p NULL: the host is another one. */
static struct str label_under(struct str host, struct str desk) {
    if (host.n <= desk.n + 1 || host.p[host.n - desk.n - 1] != '.') return (struct str){0};
    struct str end = {host.p + host.n - desk.n, desk.n}, label = {host.p, host.n - desk.n - 1};
    return str_eq(end, desk) && !memchr(label.p, '.', label.n) ? label : (struct str){0};
}

/* The key of a Host header, without its port; p NULL: no host name. */
static struct str host_key(struct arena *a, struct str host) {
    struct str rest = str_trim(host), name = str_cut(&rest, ':');
    if (name.n && name.p[name.n - 1] == '.') name.n--;
    return name.n ? domain_key(a, name) : (struct str){0};
}

static struct str kept_text(struct arena *a, struct stmt *row, int column) {
    struct str s = col_text(row, column);
    return s.p ? str_dup(a, s) : s;
}

QUERY(site_brand_languages,
      "SELECT n.locale, n.native_name FROM locales n "
      "WHERE n.locale = :fallback OR EXISTS (SELECT 1 FROM categories g JOIN locale_fields l "
      "ON l.owner_kind = 7 AND l.owner_id = g.id AND l.locale = n.locale WHERE g.deleted_at IS NULL "
      "AND (g.brand_id IS NULL OR g.brand_id = :brand)) "
      "ORDER BY n.id");

static int brand_languages(struct work *w, struct site_brand *b) {
    struct site_language **end = &b->languages;
    int rc;
    DB_ROWS(rc, w->conn, &site_brand_languages, BINDS(B_TEXT("fallback", b->locale), B_INT("brand", b->id)),
            row) {
        struct site_language *l = *end = ARENA_NEW(w->arena, struct site_language);
        *l = (struct site_language){.locale = kept_text(w->arena, row, 0),
                                    .native_name = kept_text(w->arena, row, 1)};
        end = &l->next;
    }
    return rc;
}

/* Finds the brand of a host (p NULL: none): the one with this domain, or with its label under the host of
 * the base URL; otherwise the default one. template: name of the page's template, or NULL. Returns 1, or a
 * negative error. */
static int site_brand_find(struct work *w, struct str host, const char *template, struct site_brand *out) {
    struct arena *a = w->arena;
    struct str key = host.p ? host_key(a, host) : (struct str){0},
               label = key.p ? label_under(key, w->desk->host) : (struct str){0};
    struct stmt *row;
    int rc = db_row(
        w->conn, &site_brand_by_host,
        BINDS(B_TEXT("domain", key), B_TEXT("label", label), B_TEXT("template", str_of(template))), &row);
    if (rc <= 0) return rc < 0 ? rc : -ERR_INTERNAL_ERROR;
    *out = (struct site_brand){
        .id = col_int(row, 0), .name = kept_text(a, row, 1), .domain = kept_text(a, row, 2)};
    out->sub_domain = kept_text(a, row, 3);
    out->is_enabled = col_int(row, 4) != 0;
    out->is_default = col_int(row, 5) != 0;
    out->locale = kept_text(a, row, 6);
    out->rtl_locales = kept_text(a, row, 7);
    out->by_domain = col_int(row, 8) == 2;
    out->layout = kept_text(a, row, 9);
    out->contents = kept_text(a, row, 10);
    out->color = kept_text(a, row, 11);
    out->logo_at = col_int(row, 12);
    out->theme = (int)col_int(row, 13);
    out->picture_at = col_int(row, 14);
    out->picture_width = (int)col_int(row, 15);
    stmt_end(row);
    TRY(brand_languages(w, out));
    return 1;
}

bool locale_is_rtl(const struct site_brand *b, struct str locale) {
    char quoted[LIMIT_LOCALE + 3];
    int n =
        locale.n <= LIMIT_LOCALE ? snprintf(quoted, sizeof quoted, "\"%.*s\"", (int)locale.n, locale.p) : 0;
    return n > 0 && memmem(b->rtl_locales.p, b->rtl_locales.n, quoted, (size_t)n) != NULL;
}

/* ---- cached brands ----------------------------------------------------------------------------- */

#define CACHED_BRANDS 64
#define HOST_MAX 255 /* bytes; the brand of a longer one is not kept */

struct cached_brand {
    struct arena *arena; /* the arena of all members below; NULL: the slot is free */
    struct str host;
    const char *template;
    int64_t generation, until; /* until: clock_monotonic(); see CACHED_PAGE_MS */
    struct site_brand brand;
};

struct slots *brand_cache_new(void) {
    return slots_new(CACHED_BRANDS, sizeof(struct cached_brand));
}

void brand_cache_free(struct slots *k) {
    for (unsigned i = 0; k && i < CACHED_BRANDS; i++) {
        const struct cached_brand *b = slots_lock(k, i);
        if (b->arena) arena_free(b->arena);
        slots_unlock(k);
    }
    slots_free(k);
}

static struct site_brand brand_copy(struct arena *a, const struct site_brand *b) {
    struct site_brand copy = *b;
    struct str *const texts[] = {&copy.name,  &copy.locale, &copy.domain,   &copy.sub_domain,
                                 &copy.color, &copy.layout, &copy.contents, &copy.rtl_locales};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i]->p) *texts[i] = str_dup(a, *texts[i]);
    struct site_language **end = &copy.languages;
    for (const struct site_language *l = b->languages; l; l = l->next) {
        struct site_language *own = *end = ARENA_NEW(a, struct site_language);
        *own = (struct site_language){.locale = str_dup(a, l->locale),
                                      .native_name = str_dup(a, l->native_name)};
        end = &own->next;
    }
    return copy;
}

/* template is a constant, so its address identifies it. */
static struct cached_brand *brand_lock(struct slots *k, struct str host, const char *template) {
    return slots_lock(k, XXH3_64bits_withSeed(host.p, host.n, (uintptr_t) template));
}

static bool brand_get(struct slots *k, struct arena *a, int64_t generation, struct str host,
                      const char *template, struct site_brand *out) {
    const struct cached_brand *b = brand_lock(k, host, template);
    bool found = b->arena && b->generation == generation && b->template == template &&
                 str_eq(b->host, host) && clock_monotonic() < b->until;
    if (found) *out = brand_copy(a, &b->brand);
    slots_unlock(k);
    return found;
}

static void brand_put(struct slots *k, int64_t generation, struct str host, const char *template,
                      const struct site_brand *brand) {
    struct arena *a = arena_new(), *before;
    struct cached_brand kept = {
        a, str_dup(a, host), template, generation, clock_monotonic() + CACHED_PAGE_MS, brand_copy(a, brand)};
    struct cached_brand *b = brand_lock(k, host, template);
    before = b->arena;
    *b = kept;
    slots_unlock(k);
    if (before) arena_free(before);
}

int site_brand_cached(struct work *w, struct slots *cache, int64_t generation, struct str host,
                      const char *template, struct site_brand *out) {
    struct str key = host.p ? host : S("");
    bool keeps = cache && generation && key.n <= HOST_MAX;
    if (keeps && brand_get(cache, w->arena, generation, key, template, out)) return 1;
    int rc = site_brand_find(w, host, template, out);
    if (rc == 1 && keeps) brand_put(cache, generation, key, template, out);
    return rc;
}

struct str site_brand_origin(const struct desk *d, struct arena *a, const struct site_brand *b) {
    const char *mark = memmem(d->base_url.p, d->base_url.n, "://", 3);
    size_t scheme = mark ? (size_t)(mark + 3 - d->base_url.p) : 0;
    struct str rest = {d->base_url.p + scheme, d->base_url.n - scheme}, authority = str_cut(&rest, '/');
    const char *colon =
        authority.n && authority.p[authority.n - 1] != ']' ? memrchr(authority.p, ':', authority.n) : NULL;
    struct str port = colon ? (struct str){colon, authority.n - (size_t)(colon - authority.p)} : S("");
    struct str begin = {d->base_url.p, scheme};
    if (b->domain.p) return STR_CAT(a, begin, b->domain, port);
    if (b->sub_domain.p) return STR_CAT(a, begin, b->sub_domain, S("."), d->host, port);
    return STR_CAT(a, begin, authority);
}

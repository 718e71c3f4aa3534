/* The brand of a request, by its Host header, and its look. */
#ifndef PAGES_BRAND_H
#define PAGES_BRAND_H

#include "base/buf.h"
#include "work/work.h"

/* A language in which an object has texts. */
struct site_language {
    struct str locale, native_name;
    struct str path; /* path of the page in this language, behind the locale; p NULL: the same */
    struct site_language *next;
};

struct site_brand {
    int64_t id;
    struct str name, locale;
    struct str domain, sub_domain; /* p NULL: none */
    struct str color;              /* "#0b4fc4"; p NULL: none */
    int theme;                     /* enum brand_theme */
    int64_t logo_at;               /* time of the last change of the logo; 0: none */
    int64_t picture_at;            /* the same of the picture of the home page */
    int picture_width;             /* of its widest form, in pixels */
    struct str rtl_locales;        /* the locales that are written from right to left: ["ar","he"] */
    /* in which the help center has titles of categories, with the locale of the brand */
    struct site_language *languages;
    bool is_enabled, is_default;
    bool by_domain; /* its own domain was asked for */
    /* the brand's own templates of the frame and of the page; p NULL: the originals */
    struct str layout, contents;
};

bool locale_is_rtl(const struct site_brand *b, struct str locale); /* as locales.direction says */

/* The same, kept in memory while the generation (core/helpcenter/generation.h) is the same; 0: not kept. */
struct slots *brand_cache_new(void); /* base/slots.h; NULL: no memory */
void brand_cache_free(struct slots *k);
int site_brand_cached(struct work *w, struct slots *cache, int64_t generation, struct str host,
                      const char *template, struct site_brand *out);

/* "https://help.engines.example": where the brand is served. Its domain, else its label under the host of
 * the base URL, else the base URL's host; with the scheme and the port of the base URL. */
struct str site_brand_origin(const struct desk *d, struct arena *a, const struct site_brand *b);

#endif

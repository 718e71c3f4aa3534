/* Templates: texts of letters and of the pages that their links lead to. Each has a built-in original. A
 * brand may replace it by a row. The language is in template_text.c, the rules for HTML in
 * template_html.c. */
#ifndef CORE_TEMPLATE_H
#define CORE_TEMPLATE_H

#include "base/buf.h"
#include "core/words.h"
#include "work/work.h"

struct template {
    const char *name;
    enum template_app app;
    enum template_category category;
    const char *path;   /* mails: path of the page that their link opens; NULL: no link */
    const char *values; /* names allowed in {{braces}}, separated by blanks */
    const char *needs;  /* the mandatory ones of these, separated by blanks; NULL: none */
    const char *original;
};
extern const struct template templates[]; /* ends with name NULL */
#define TEMPLATES_MAX 48
const struct template *template_named(struct str name); /* NULL: none */
bool template_needs(const struct template *t, struct str value);

/* ---- the language ---------------------------------------------------------------------------- */

enum block { BLOCK_SUBJECT, BLOCK_TEXT, BLOCK_HTML, BLOCK_TITLE, BLOCK_BODY, BLOCK_STYLE, BLOCKS };
struct template_blocks {
    struct str block[BLOCKS]; /* slices of the contents; p NULL: absent */
};

/* Parses contents of the template t. If they are invalid, returns false; *why says where and what is
 * expected, in the arena. */
bool template_parse(struct arena *a, const struct template *t, struct str contents,
                    struct template_blocks *out, const char **why);

struct meaning {
    const char *name; /* without braces; NULL ends the list */
    struct str value; /* p NULL: empty */
    struct str html;  /* trusted HTML that stands for the value in HTML; p NULL: the value is escaped there */
    bool lines;       /* line breaks of the value stay in texts */
};
/* Fills a block of parsed contents. Line breaks in values become blanks; in HTML, values are escaped. An
 * empty value removes the blank before it: "Hello {{name}}," becomes "Hello,". */
void template_fill(struct buf *out, struct str block, const struct meaning *meanings, bool html);

#define LINK_STANDS_ALONE "{{link}} must stand alone: blanks or line breaks are expected around it."
/* Returns true if values and forms are safe everywhere in this HTML fragment; site: of a page of the help
 * center. Otherwise *at and *why say where and why not. */
bool template_html(struct arena *a, struct str html, bool site, size_t *at, const char **why);

/* Returns true if a style block of the help center is whole and loads nothing. Otherwise *at and *why say
 * where and why not. */
bool template_style(struct str css, size_t *at, const char **why);

/* ---- templates of brands --------------------------------------------------------------------- */

struct wording {
    struct template_blocks blocks;
    struct str language; /* language of the text, for the attribute lang */
    /* Reason why the brand's text, valid when stored, is not used; NULL: it is used, or there is none. */
    const char *outdated;
};
#define TEMPLATE_OUTDATED                                                            \
    "template %s of the default brand is not valid any more, the original is used: " \
    "%s" /* for the log: name, reason */
/* Loads the template of the default brand (people have no brand of their own), in the arena. The result is
 * always valid. */
int template_load(struct work *w, const struct template *t, struct wording *out);
/* The same, of a brand. If it has no text of its own, that of the default brand counts. */
int template_load_for(struct work *w, const struct template *t, int64_t brand_id, struct wording *out);
void template_original(struct arena *a, const struct template *t, struct wording *out);

/* A brand's own templates, in the order of templates[]; p NULL: the original. name: the one to read; p
 * NULL: all. */
int templates_of_brand(struct work *w, int64_t brand_id, struct str name, struct str own[TEMPLATES_MAX]);
/* Stores parsed contents. The previous contents become a version. p NULL, or equal to the original: back
 * to the original. The caller holds a lock against concurrent calls. */
int template_put(struct work *w, int64_t brand_id, const struct template *t, struct str contents);
int template_version(struct work *w, int64_t brand_id, const struct template *t, int64_t id,
                     struct str *contents); /* 1, 0 not found, or a negative error */

#endif

/* Templates: what the desk says in its letters and on the pages that their links lead to. Each has an original, built in; a brand
 * may say something else, which is a row. The language is in template_text.c, what HTML may hold in template_html.c. */
#ifndef CORE_TEMPLATE_H
#define CORE_TEMPLATE_H

#include "base/buf.h"
#include "core/words.h"
#include "work/work.h"

struct template {
    const char *name;
    enum template_app app;
    enum template_category category;
    const char *path;   /* mails: of the page that their link leads to; NULL: they have none */
    const char *values; /* what it may name in {{braces}}, blank-separated */
    const char *needs;  /* the one of these it is useless without; NULL: none */
    const char *original;
};
extern const struct template templates[]; /* ends with name NULL */
#define TEMPLATES_MAX 32
const struct template *template_named(struct str name); /* NULL: none */

/* ---- the language ------------------------------------------------------------------------------------------- */

enum block { BLOCK_SUBJECT, BLOCK_TEXT, BLOCK_HTML, BLOCK_TITLE, BLOCK_BODY, BLOCK_STYLE, BLOCKS };
struct template_blocks {
    struct str block[BLOCKS]; /* inside the contents; p NULL: left out */
};

/* What contents say for t. False: why says where they are wrong and what would be right, in the arena. */
bool template_parse(struct arena *a, const struct template *t, struct str contents, struct template_blocks *out, const char **why);

struct meaning {
    const char *name; /* without braces; NULL ends the list */
    struct str value; /* p NULL: as the empty text */
    bool is_html;     /* of our own making: it stands as it is */
};
/* A block of contents that were parsed. Values are one line each; in HTML they are escaped. An empty value takes the blank
 * before it along: "Hello {{name}}," becomes "Hello,". */
void template_fill(struct buf *out, struct str block, const struct meaning *meanings, bool html);

#define LINK_STANDS_ALONE "{{link}} stands alone: blanks or line breaks are expected around it."
/* Whether a fragment of HTML is one that no value and no form is unsafe in; else where and why. */
bool template_html(struct arena *a, struct str html, size_t *at, const char **why);

/* ---- what brands say ------------------------------------------------------------------------------------------ */

struct wording {
    struct template_blocks blocks;
    struct str language;  /* of what is said, for lang="" */
    const char *outdated; /* why the brand's own text, which was valid once, is not used; NULL: it is, or there is none */
};
#define TEMPLATE_OUTDATED "template %s of the default brand is not valid any more, the original is used: %s" /* for the log: name, why */
/* What the default brand says, in the arena: people have no brand of their own. Whatever is stored, what is found can be used. */
int template_load(struct work *w, const struct template *t, struct wording *out);
void template_original(struct arena *a, const struct template *t, struct wording *out);

/* What a brand says itself, in the order of templates[]; p NULL: the original. name: p NULL, or the one that is wanted. */
int templates_of_brand(struct work *w, int64_t brand_id, struct str name, struct str own[TEMPLATES_MAX]);
/* Contents that were parsed; what was said before becomes a version. p NULL, or the same as the original: that. The caller has
 * locked out its like. */
int template_put(struct work *w, int64_t brand_id, const struct template *t, struct str contents);
int template_version(struct work *w, int64_t brand_id, const struct template *t, int64_t id,
                     struct str *contents); /* 1, 0 none, or error */

#endif

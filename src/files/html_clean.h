/* Untrusted HTML: bodies of mails, replies of agents. A confined process (files/confined.h) parses it and
 * writes it anew by allow-lists of elements, attributes, addresses and styles (files/html_rules.h). The
 * result is checked here without a parser. So a process under the control of its input can return ugly
 * HTML, but none with an effect. Keep the original, because clean HTML is only for showing. */
#ifndef FILES_HTML_CLEAN_H
#define FILES_HTML_CLEAN_H

#include "base/arena.h"
#include "base/str.h"

struct html_cleaned {
    struct str html;     /* html_is_clean(); show it as the content of a <div> */
    struct str text;     /* the plain text of the HTML (files/html_tree.c) */
    int remote_pictures; /* number of blocked pictures; their addresses are in data-src */
    /* the end is missing, because the HTML was too long or an element has too many attributes */
    bool cut;
};
/* Cleans the HTML, which may be any bytes. Bytes after LIMIT_HTML are not read. Clean HTML stays
 * unchanged. Returns 1, or 0 if the HTML can't be cleaned because the parser takes too long, or
 * -ERR_SERVICE_UNAVAILABLE. After 0, show the text part or offer the original as a download. Waits for a
 * process, about 25 ms of CPU, so call it only in the pool (.prepare with LANE_PICTURE). */
int html_clean(struct arena *a, struct str html, struct html_cleaned *out);

/* Returns true if html_clean could have written this HTML. Reads it once, without a parser. */
bool html_is_clean(struct str html);

/* Prepares clean HTML for one reader. With `remote`, blocked pictures are shown. inline_url returns the
 * address of an inline picture (src="cid:...") for its content id, or p NULL to remove the picture.
 * inline_url NULL: inline pictures stay unchanged. */
typedef struct str html_inline_url(void *ctx, struct str content_id);
struct str html_show(struct arena *a, struct str clean, bool remote, html_inline_url *inline_url, void *ctx);
/* Shows the blocked pictures of clean HTML that come over https. */
struct str html_show_https(struct arena *a, struct str clean);

/* ---- articles -------------------------------------------------------------------------------- */

/* The HTML of articles. It is clean HTML with one difference: it shows pictures of
 * other servers over https, because writers of the desk choose them. Pictures over http stay blocked. */

/* Cleans the HTML of an article. HTML that is clean already costs no process. Returns 1, 0 if the HTML
 * can't be cleaned or is too long, or -ERR_SERVICE_UNAVAILABLE. See html_clean: call it only in the pool. */
int html_article_clean(struct arena *a, struct str html, struct str *out);

/* Returns true if html_article_clean could have written this HTML. Reads it once, without a parser. */
bool html_article_is_clean(struct str html);

/* ---- the confined process -------------------------------------------------------------------- */

/* The confined process: `deskd --html clean`, HTML on standard input. */
#define HTML_ARGUMENT "--html"
int html_child(void);

#endif

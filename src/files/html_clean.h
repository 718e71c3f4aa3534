/* HTML from strangers: bodies of mails, replies that agents wrote. It is parsed by a confined process (files/confined.h) and written anew by
 * allow-lists of elements, attributes, addresses and styles (files/html_rules.h). What comes back is checked here without a parser, so
 * a process that its input has taken over can give back ugly HTML, but none that acts. Keep the original: what is cleaned is for showing. */
#ifndef FILES_HTML_CLEAN_H
#define FILES_HTML_CLEAN_H

#include "base/arena.h"
#include "base/str.h"

struct html_cleaned {
    struct str html;     /* html_is_clean(); to be shown as the content of a <div> */
    struct str text;     /* what it says, as plain text (files/html_text.c) */
    int remote_pictures; /* that were blocked: their addresses stand in data-src */
    bool cut;            /* it was too long, so its end is missing */
};
/* Cleans the HTML. It may be any bytes; of more than LIMIT_HTML the rest is not read. Cleaning what is clean changes nothing. Returns 1; 0 if
 * it can't be cleaned (it makes the parser work too long): show the text part, or only the original as a download; or
 * -ERR_SERVICE_UNAVAILABLE. Waits for a process, about 25 ms of CPU: in the pool alone (.prepare with LANE_PICTURE). */
int html_clean(struct arena *a, struct str html, struct html_cleaned *out);

/* Whether this is HTML as html_clean writes it. Reads it once, without a parser. */
bool html_is_clean(struct str html);

/* Clean HTML for one reader. With `remote`, blocked pictures are shown. The address of an inline picture (src="cid:...") is what inline_url
 * returns for its content id, or the picture goes if that has p NULL; inline_url NULL: it stays. */
typedef struct str html_inline_url(void *ctx, struct str content_id);
struct str html_show(struct arena *a, struct str clean, bool remote, html_inline_url *inline_url, void *ctx);

/* That process: `deskd --html clean`, HTML on standard input. */
#define HTML_ARGUMENT "--html"
int html_child(void);

#endif

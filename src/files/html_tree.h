/* The tree of a parsed HTML text. Only the confined process builds one (files/html_child.c), and fuzz targets. */
#ifndef FILES_HTML_TREE_H
#define FILES_HTML_TREE_H

#include "base/buf.h"

#include <gumbo.h>

/* Walks all nodes in the order of the text, without recursion: trees of strangers are as deep as their text is long. enter() returns
 * whether the children are wanted; leave() follows then. Returns how deep the tree was. */
struct html_walker {
    bool (*enter)(void *ctx, const GumboNode *node);
    void (*leave)(void *ctx, const GumboNode *node);
    void *ctx;
};
size_t html_walk(const GumboNode *root, const struct html_walker *w);

/* The element's row in the tables of files/html_rules.h. NULL: none, or no element of HTML. `drop`: not even its children are wanted. */
const struct html_element *html_element_of(const GumboNode *node, bool *drop);

void html_text_of(struct buf *out, const GumboNode *root); /* what a clean tree says, as plain text */

struct html_made {
    struct buf html, text;
    int remote_pictures;
    bool cut;
};
/* Cleans a text in this process. The answer's buffers are the caller's. */
void html_clean_here(struct str html, struct html_made *out);

#endif

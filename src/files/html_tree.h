/* The tree of a parsed HTML text. Only the confined process (files/html_clean.c) and fuzz targets build
 * one. */
#ifndef FILES_HTML_TREE_H
#define FILES_HTML_TREE_H

#include "base/buf.h"

#include <gumbo.h>

/* Walks all nodes in the order of the text, without recursion, because the depth of an untrusted tree
 * grows with its text. If enter() returns true, the walk visits the children and calls leave(). Returns
 * the depth of the tree. */
struct html_walker {
    bool (*enter)(void *ctx, const GumboNode *node);
    void (*leave)(void *ctx, const GumboNode *node);
    void *ctx;
};
size_t html_walk(const GumboNode *root, const struct html_walker *w);

/* Returns the row of the element in files/html_rules.h, or NULL if it has none or is not an element of
 * HTML. Sets `drop` if its contents are removed, too. */
const struct html_element *html_element_of(const GumboNode *node, bool *drop);

void html_text_of(struct buf *out, const GumboNode *root); /* appends the plain text of a clean tree */

struct html_made {
    struct buf html, text;
    int remote_pictures;
    bool cut;
};
/* Cleans a text in this process. The caller frees the buffers of the answer. */
void html_clean_here(struct str html, struct html_made *out);

#endif

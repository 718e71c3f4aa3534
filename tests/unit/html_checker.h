/* An independent check of clean HTML, with a parser and lists of its own. It parses the output of the
 * cleaner as a browser would, in several places of a page, and compares every node with the lists. */
#ifndef TESTS_HTML_CHECKER_H
#define TESTS_HTML_CHECKER_H

#include <gumbo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char checker_elements[] = " a abbr address article aside b bdi bdo big blockquote br caption "
                                       "center cite code col colgroup dd del details dfn div dl dt em "
                                       "figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins "
                                       "kbd li main mark ol p pre q s samp section small span strike strong "
                                       "sub summary sup table tbody td tfoot th thead tr tt u ul var wbr ";
static const char checker_attributes[] =
    " href src data-src alt title width height colspan rowspan span align valign bgcolor border "
    "cellpadding class cellspacing color face size start value type dir lang style rel target ";

static int checker_listed(const char *list, const char *name) {
    char padded[80];
    return strlen(name) < 70 && !strchr(name, ' ') && snprintf(padded, sizeof padded, " %s ", name) > 0 &&
           strstr(list, padded) != NULL;
}

static int checker_begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

/* Why an attribute is wrong. NULL: it is not. */
static const char *checker_attribute(const GumboAttribute *a) {
    const char *v = a->value;
    if (!checker_listed(checker_attributes, a->name)) return "an attribute that is not listed";
    if (strcmp(a->name, "href") == 0 && !checker_begins(v, "http://") && !checker_begins(v, "https://") &&
        !checker_begins(v, "mailto:") && !checker_begins(v, "tel:"))
        return "a link with another scheme";
    if (strcmp(a->name, "src") == 0 && !checker_begins(v, "cid:") &&
        !checker_begins(v, "data:image/png;base64,") && !checker_begins(v, "data:image/jpeg;base64,") &&
        !checker_begins(v, "data:image/gif;base64,") && !checker_begins(v, "data:image/webp;base64,"))
        return "a picture that is loaded";
    if (strcmp(a->name, "data-src") == 0 && !checker_begins(v, "http://") && !checker_begins(v, "https://"))
        return "a blocked picture with another scheme";
    if (strcmp(a->name, "rel") == 0 && strcmp(v, "noopener noreferrer nofollow") != 0) return "another rel";
    if (strcmp(a->name, "target") == 0 && strcmp(v, "_blank") != 0) return "another target";
    if (strcmp(a->name, "style") == 0)
        for (const char *p = v; *p; p++)
            if (strchr("\\/@<>{}&\"*", *p)) return "a style that is more than words, colours and lengths";
    if (strcmp(a->name, "style") == 0 && (strstr(v, "position:") || strchr(v, '!')))
        return "a style that covers something";
    for (const char *p = strcmp(a->name, "style") == 0 ? strchr(v, '(') : NULL; p; p = strchr(p + 1, '('))
        if (p - v < 5 || (strncmp(p - 3, "rgb", 3) != 0 && strncmp(p - 4, "rgba", 4) != 0))
            return "a style that calls a function";
    return NULL;
}

static const char *checker_node(const GumboNode *n) {
    const char *why = NULL;
    if (n->type == GUMBO_NODE_TEXT || n->type == GUMBO_NODE_WHITESPACE) return NULL;
    if (n->type != GUMBO_NODE_ELEMENT) return "a comment, a template or a CDATA section";
    const GumboElement *e = &n->v.element;
    if (e->tag_namespace != GUMBO_NAMESPACE_HTML) return "an element of SVG or MathML";
    if (!checker_listed(checker_elements, gumbo_normalized_tagname(e->tag)))
        return "an element that is not listed";
    int href = 0, rel = 0, target = 0;
    for (unsigned i = 0; i < e->attributes.length && !why; i++) {
        const GumboAttribute *a = e->attributes.data[i];
        why = checker_attribute(a);
        href |= strcmp(a->name, "href") == 0;
        rel |= strcmp(a->name, "rel") == 0;
        target |= strcmp(a->name, "target") == 0;
    }
    bool folded = gumbo_get_attribute(&e->attributes, "class") != NULL;
    if (!why && (e->tag == GUMBO_TAG_DETAILS) != folded) why = "a class, or a fold without one";
    if (!why && folded &&
        (e->attributes.length != 1 ||
         strcmp(((const GumboAttribute *)e->attributes.data[0])->value, "quoted") != 0))
        why = "a fold of another form";
    if (!why && e->tag == GUMBO_TAG_SUMMARY &&
        (e->attributes.length || n->parent->v.element.tag != GUMBO_TAG_DETAILS || n->index_within_parent))
        why = "a summary elsewhere";
    if (!why && (e->tag == GUMBO_TAG_A) != href) why = "a link that leads nowhere, or one that is none";
    if (!why && (href != rel || href != target)) why = "a link without rel and target";
    for (unsigned i = 0; i < e->children.length && !why; i++) why = checker_node(e->children.data[i]);
    return why;
}

/* Parses the bytes as the content of this element. */
static const char *checker_within(const char *p, size_t n, GumboTag context) {
    GumboOptions options = kGumboDefaultOptions;
    const char *why = NULL;
    options.fragment_context = context;
    GumboOutput *tree = gumbo_parse_with_options(&options, n ? p : "", n);
    const GumboVector *c = &tree->root->v.element.children;
    for (unsigned i = 0; i < c->length && !why; i++) why = checker_node(c->data[i]);
    gumbo_destroy_output(&options, tree);
    return why;
}

/* Why this is not clean. NULL: it is. */
static const char *checker_why(const char *p, size_t n) {
    static const GumboTag places[] = {GUMBO_TAG_DIV, GUMBO_TAG_BODY, GUMBO_TAG_P, GUMBO_TAG_TD,
                                      GUMBO_TAG_TEMPLATE};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *why = checker_within(p, n, places[i]);
        if (why) return why;
    }
    return NULL;
}

#endif
